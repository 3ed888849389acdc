// The service worker, which keeps a site in the browser. Each version of the site has a cache of its own, and older
// ones are deleted.

const SITE = null; // its version, the files that are kept at first, and those kept later; filled in by the site
const NAME = `puzzlekit-site ${registration.scope}`;
const KEPT = `${NAME} ${SITE.version}`;
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

/** Keeps the files that are not kept yet, one after another. */
addEventListener("message", (event) => {
  event.waitUntil(
    (async () => {
      const kept = await caches.open(KEPT);
      for (const url of [event.data.keep, ...SITE.more.map(address)])
        if (!(await kept.match(url, whole))) {
          // If a file cannot be loaded now, it is tried again at the next visit.
          await kept.add(new Request(url, { cache: "no-cache" })).catch(() => {});
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
  if (answer.ok && answer.type === "basic" && !answer.redirected) await kept.put(request, answer.clone());
  return answer;
}
