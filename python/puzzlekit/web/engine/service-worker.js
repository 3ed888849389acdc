// Keeps a site of files in the browser. Each version of the site is kept whole, beside no other.

const SITE = null; // its version, what is kept at first, and what is kept after that
const NAME = `puzzlekit-site ${registration.scope}`;
const KEPT = `${NAME} ${SITE.version}`;
const whole = { ignoreSearch: true };
const address = (path) => new URL(path, registration.scope).href;

addEventListener("install", (event) => {
  // What the browser has from an earlier version must not get into this one.
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

/** Keeps all that is not kept yet, one file after another. */
addEventListener("message", (event) => {
  event.waitUntil(
    (async () => {
      const kept = await caches.open(KEPT);
      for (const url of [event.data.keep, ...SITE.more.map(address)])
        if (!(await kept.match(url, whole))) {
          // What cannot be had now, since the network or the file is gone, is tried again at the next visit.
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
  // Pages beyond the first ones are kept when they are visited, with all that they load.
  if (answer.ok && answer.type === "basic" && !answer.redirected) await kept.put(request, answer.clone());
  return answer;
}
