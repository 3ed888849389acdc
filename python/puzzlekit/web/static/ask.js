// Sends a verb of docs/web-api.md with its fields to the server, and returns the answer. Without a server, in a folder
// of files, it asks the engine in the page.

import { site } from "./dom.js";

/**
 * The answer to a verb.
 * @param {string} verb The verb.
 * @param {object} fields The fields of the request.
 * @param {{signal?: AbortSignal, progress?: (figures: object) => void}} options A signal that stops the request, and a
 *     function that is called with the figures of a search while it runs.
 */
export async function ask(verb, fields, { signal, progress } = {}) {
  if (site) return (await import("./asking.js")).ask(verb, fields, { signal, progress });
  const headers = { "Content-Type": "application/json" };
  if (progress) headers.Accept = "application/x-ndjson";
  let response;
  try {
    response = await fetch(`/api/${verb}`, { method: "POST", headers, body: JSON.stringify(fields), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Is it still running?");
  }
  if (!progress || !response.ok) {
    const data = await response.json();
    if (!response.ok) throw new Error(sentence(data.error));
    return data;
  }
  for await (const line of lines(response.body)) {
    if (line.error) throw new Error(sentence(line.error));
    if (line.answer) return line.answer;
    progress(line.progress);
  }
  throw new Error("The answer broke off. Try again.");
}

async function* lines(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n");
    rest = parts.pop();
    for (const part of parts) yield JSON.parse(part);
  }
}

/** A message of the server as a sentence. A text id with parameters at its beginning stays as it is. */
export function sentence(text) {
  if (/^\w+:\w/.test(text)) return /[.?!]$/.test(text) ? text : `${text}.`;
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? "" : "."}`;
}

/** A number and a noun, such as "1 move" and "2 moves". */
export function counted(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
