// Lets the browser keep a site in a folder of files, so that it works without a network after the first visit.

import { site } from "./dom.js";

/**
 * Registers the service worker, and when it runs, asks it to keep the rest of the site, too. If this page came from the
 * browser, it may be older than the site. A browser looks for a newer service worker only if a visit is long enough.
 */
async function keep() {
  try {
    const at = new URL(site.up || "./", document.baseURI);
    const kept = await navigator.serviceWorker.register(new URL("service-worker.js", at), { scope: at.pathname });
    const { active } = await navigator.serviceWorker.ready;
    active.postMessage({ keep: location.href.replace(/#.*/, "") });
    if (navigator.serviceWorker.controller) await kept.update();
  } catch {
    // Private windows and unencrypted pages have no service workers. Then the site works only with a network.
  }
}

if (navigator.serviceWorker) addEventListener("load", keep);
