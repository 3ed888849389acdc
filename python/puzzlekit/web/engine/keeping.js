// Lets the browser keep a site of files, so that it works without a network after the first visit.

import { site } from "./dom.js";

/** Starts the script that keeps the site, and tells it to keep all the rest, too, once it runs. */
async function keep() {
  try {
    const at = new URL(site.up || "./", document.baseURI);
    await navigator.serviceWorker.register(new URL("service-worker.js", at), { scope: at.pathname });
    const { active } = await navigator.serviceWorker.ready;
    active.postMessage({ keep: location.href.replace(/#.*/, "") });
  } catch {
    // Private windows and pages without encryption have no such scripts. The site works without, from the network.
  }
}

if (navigator.serviceWorker) addEventListener("load", keep);
