// Asks the engine in the page if there is no server. The verbs and answers are those of a server.
//
// The engine runs in workers, so that the page stays responsive. One worker gives short answers, such as those to
// moves; others search. If a search is cancelled, its worker is ended, and the next search begins another one.

import { sentence } from "./ask.js";
import { site } from "./dom.js";

const SHORT = ["scramble", "play"];
const MOST_SEARCHES = 2; // at once; others wait
const PATIENCE = 10_000; // milliseconds that a short answer may take, from when the engine is ready
const MOST_HELD = 512 * 2 ** 20; // a worker that holds more bytes after an answer is ended

/** The engine, compiled once for all workers. */
let compiled = null;

/** A worker, which answers one request after another. */
class Helper {
  constructor() {
    this.worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }) => this.take(data);
    this.worker.onerror = () => this.end(new Error("The engine does not start in this browser."));
    this.pending = new Map();
    this.count = 0;
    this.started = engine().then((module) => this.worker?.postMessage({ module }));
    this.started.catch((error) => this.end(error));
  }

  /** The answer to a verb. */
  ask(verb, fields, progress) {
    const number = (this.count += 1);
    return new Promise((resolve, reject) => {
      this.pending.set(number, { resolve, reject, progress });
      const data = `${site.up}data/${site.version}/${site.pages[fields.puzzle]}.json`;
      const address = new URL(data, document.baseURI).href;
      this.started.then(() => this.worker?.postMessage({ number, verb, fields, address }), () => {});
    });
  }

  take({ number, answer, error, progress, held, isBroken }) {
    const asked = this.pending.get(number);
    if (progress) asked?.progress?.(progress);
    if (progress || !asked) return;
    this.pending.delete(number);
    if (error) asked.reject(new Error(sentence(error)));
    else asked.resolve(answer);
    if (isBroken || held > MOST_HELD) this.end(new Error("The engine began anew. Try again."));
  }

  /** Ends the worker. Requests that it has not answered fail with the error. */
  end(error) {
    this.worker?.terminate();
    this.worker = null;
    for (const { reject } of this.pending.values()) reject(error);
    this.pending.clear();
  }
}

async function engine() {
  compiled ??= (async () => {
    let bytes;
    try {
      const response = await fetch(new URL("./engine.bin", import.meta.url));
      if (!response.ok) throw new Error("not found");
      bytes = await response.arrayBuffer();
    } catch {
      throw new Error("The engine cannot be loaded. Is the network there?");
    }
    try {
      // The host may have sent the engine unpacked.
      const isPacked = new Uint8Array(bytes, 0, 2)[0] === 0x1f;
      const stream = isPacked && new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      if (!stream) return await WebAssembly.compile(bytes);
      const wasm = { headers: { "Content-Type": "application/wasm" } };
      return await WebAssembly.compileStreaming(new Response(stream, wasm));
    } catch (error) {
      const isOld = error instanceof WebAssembly.CompileError || error instanceof ReferenceError;
      throw isOld ? new Error("This browser cannot run the engine. Those of May 2023 and later can.") : error;
    }
  })();
  try {
    return await compiled;
  } catch (error) {
    compiled = null;
    throw error;
  }
}

let quick = null;
const searchers = []; // those that are free
const waiting = [];
let running = 0;

/** The answer to a verb; see `ask.js`. */
export function ask(verb, fields, { signal, progress } = {}) {
  if (!Object.hasOwn(site.pages, fields.puzzle)) throw new Error("This site does not have that puzzle.");
  return SHORT.includes(verb) ? shortly(verb, fields, signal) : searched(verb, fields, signal, progress);
}

async function shortly(verb, fields, signal) {
  if (!quick?.worker) quick = new Helper();
  const own = quick;
  await own.started;
  const late = setTimeout(() => own.end(new Error("That takes too long in a page.")), PATIENCE);
  try {
    return await unless(signal, own.ask(verb, fields));
  } finally {
    clearTimeout(late);
  }
}

async function searched(verb, fields, signal, progress) {
  if (running >= MOST_SEARCHES) {
    let turn;
    const place = new Promise((resolve) => waiting.push((turn = resolve)));
    try {
      await unless(signal, place);
    } catch (error) {
      if (waiting.includes(turn)) waiting.splice(waiting.indexOf(turn), 1);
      else next(); // the turn had come
      throw error;
    }
  } else {
    running += 1;
  }
  const helper = searchers.pop() ?? new Helper();
  try {
    return await unless(signal, helper.ask(verb, fields, progress));
  } finally {
    if (signal?.aborted) helper.end(left());
    if (helper.worker) searchers.push(helper);
    next();
  }
}

/** Lets the next waiting search begin when one is over. */
function next() {
  const turn = waiting.shift();
  if (turn) turn();
  else running -= 1;
}

const left = () => new DOMException("The search was cancelled.", "AbortError");

/** The result of a promise, unless a signal aborts first. */
function unless(signal, promise) {
  promise.catch(() => {}); // nobody waits for a result after the signal
  return new Promise((resolve, reject) => {
    if (signal?.aborted) reject(left());
    const leave = () => reject(left());
    signal?.addEventListener("abort", leave, { once: true });
    promise.then(resolve, reject).finally(() => signal?.removeEventListener("abort", leave));
  });
}
