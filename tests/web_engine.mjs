// Runs the engine of the page in Node, for the tests: each line that comes in is a request, and each line that goes out
// is an answer. The line `new` makes another instance; `stop` makes it stop the next search.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const module = await WebAssembly.compile(readFileSync(process.argv[2]));
const tolds = [];
let engine = null;
let stops = false;

async function open() {
    let exports = null;
    const text = (at, length) => new TextDecoder().decode(new Uint8Array(exports.memory.buffer, at >>> 0, length));
    const read = (packed) => text(Number(packed >> 32n), Number(packed & 0xffffffffn));
    const env = {
        now: () => performance.now(),
        told: (at, length) => (tolds.push(JSON.parse(text(at, length))), stops ? 1 : 0),
    };
    exports = (await WebAssembly.instantiate(module, { env })).exports;
    return (request) => {
        const bytes = new TextEncoder().encode(request);
        try {
            const at = exports.take(bytes.length);
            new Uint8Array(exports.memory.buffer, at >>> 0, bytes.length).set(bytes);
            return JSON.parse(read(exports.call()));
        } catch (error) {
            return { ...JSON.parse(read(exports.fallen())), restart: String(error) };
        }
    };
}

for await (const line of createInterface({ input: process.stdin })) {
    if (line === "new") {
        engine = await open();
    } else if (line === "stop") {
        stops = true;
    } else {
        tolds.length = 0;
        const begun = process.cpuUsage();
        const answer = engine(line);
        const seconds = process.cpuUsage(begun).user / 1e6; // of the processor
        console.log(JSON.stringify({ ...answer, tolds: [...tolds], seconds }));
        stops = false;
    }
}
