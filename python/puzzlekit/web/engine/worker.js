// The worker of a page without a server: answers the verbs of the page, one after another, from the engine.

import { Broken, Engine } from "./engine.js";
import { Rules } from "./rules.js";
import { answer, fault } from "./verbs.js";

let loading = null; // the puzzle that was asked about last, in its engine
let begun = null; // the compiled module of the engine
let last = Promise.resolve();
let told = () => {}; // reports the progress of the present search to the page

addEventListener("message", ({ data }) => {
  if (data.module) begun = data.module;
  else last = last.then(() => reply(data));
});

async function reply({ number, verb, fields, address }) {
  told = (progress) => postMessage({ number, progress });
  let rules = null;
  try {
    rules = await load(address);
    postMessage({ number, answer: answer(verb, rules, fields), held: rules.engine.held });
  } catch (error) {
    const isBroken = error instanceof Broken;
    if (isBroken) loading = null;
    postMessage({ number, error: fault(error, rules), isBroken });
  }
}

/** The rules of a puzzle, loaded into an engine. */
async function load(address) {
  if (loading?.address === address) return loading.rules;
  loading = null;
  let data;
  try {
    const response = await fetch(address);
    if (!response.ok) throw new Error("not found");
    data = await response.json();
  } catch {
    throw new Error("the puzzle cannot be loaded; is the network there?");
  }
  const engine = await Engine.of(begun, (progress) => told(progress));
  loading = { address, rules: new Rules(data, engine) };
  return loading.rules;
}
