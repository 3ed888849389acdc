// The service worker, which keeps a site in the browser. Each version of the site has a cache of its own, and older
// ones are deleted. A page of a newer version, which may be there before its service worker, is not kept in the cache
// of an older one.

// Filled in by the site: a digest of all its files, the version that its pages name, the files that are kept at first,
// and those kept later.
const SITE = null;
const NAME = `puzzlekit-site ${registration.scope}`;
const KEPT = `${NAME} ${SITE.whole}`;
const whole = { ignoreSearch: true };
const address = (path) => new URL(path, registration.scope).href;

addEventListener("install", (event) => {
  // Files of an earlier version in the browser's cache must not get into this one.
  const fresh = SITE.first.map((path) => new Request(address(path), { cache: "no-cache" }));
  event.waitUntil(caches.open(KEPT).then((kept) => kept.addAll(fresh)));
});

addEventListener("activate", (event) => {
  event.waitUntil(
    (async () => {
      const old = (await caches.keys()).filter((name) => name.startsWith(`${NAME} `) && name !== KEPT);
      await Promise.all(old.map((name) => caches.delete(name)));
      await clients.claim();
    })(),
  );
});

/** Keeps an answer, unless it is a page of another version. */
async function keep(kept, request, answer) {
  if (!answer.ok || answer.type !== "basic" || answer.redirected) return;
  const isPage = answer.headers.get("content-type")?.includes("html");
  if (!isPage || (await answer.clone().text()).includes(SITE.version)) await kept.put(request, answer);
}

/** Keeps the files that are not kept yet, one after another. */
addEventListener("message", (event) => {
  event.waitUntil(
    (async () => {
      const kept = await caches.open(KEPT);
      for (const url of [event.data.keep, ...SITE.more.map(address)])
        if (!(await kept.match(url, whole))) {
          const request = new Request(url, { cache: "no-cache" });
          // If a file cannot be loaded now, it is tried again at the next visit.
          await fetch(request).then((answer) => keep(kept, request, answer), () => {});
        }
    })(),
  );
});

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(registration.scope)) return;
  event.respondWith(found(request));
});

async function found(request) {
  const url = new URL(request.url);
  const asked = url.pathname.endsWith("/") ? address("index.html") : request.url;
  const kept = await caches.open(KEPT);
  const known = await kept.match(asked, whole);
  if (known) return known;
  const answer = await fetch(request);
  // All other pages, and the files that they load, are kept when they are visited.
  await keep(kept, request, answer.clone());
  return answer;
}
