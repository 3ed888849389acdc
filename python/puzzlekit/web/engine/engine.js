// The compiled engine in WebAssembly: takes a request as JSON, and returns an answer as JSON.

/** An error that the engine reports: a sentence, and the name of Python's exception for it. */
export class Fault extends Error {
  constructor({ kind, message, lower_bound: bound = null, within = null }) {
    super(message);
    Object.assign(this, { kind, bound, within });
  }
}

/** The engine has failed, and cannot be used any more. */
export class Broken extends Error {}

export class Engine {
  /**
   * Starts an engine.
   * @param {WebAssembly.Module} module The engine, compiled.
   * @param {(progress: object) => void} told Called with the progress of a search.
   */
  static async of(module, told) {
    const engine = new Engine();
    const imports = {
      now: () => performance.now(),
      told: (pointer, length) => {
        told(JSON.parse(engine.text(pointer, length)));
        return 0;
      },
    };
    engine.instance = await WebAssembly.instantiate(module, { env: imports });
    return engine;
  }

  /** The bytes of memory that the engine holds. */
  get held() {
    return this.instance.exports.memory.buffer.byteLength;
  }

  text(pointer, length) {
    const bytes = new Uint8Array(this.instance.exports.memory.buffer, pointer >>> 0, length >>> 0);
    return new TextDecoder().decode(bytes);
  }

  /** The answer at a place in memory. The upper half of `packed` is its address, and the lower half is its length. */
  answer(packed) {
    const number = BigInt.asUintN(64, packed);
    return JSON.parse(this.text(Number(number >> 32n), Number(number & 0xffffffffn)));
  }

  /** The answer to a verb of the engine. */
  ask(verb, fields = {}) {
    const { memory, take, call, fallen } = this.instance.exports;
    const bytes = new TextEncoder().encode(JSON.stringify({ verb, ...fields }));
    let found;
    try {
      const pointer = take(bytes.length) >>> 0;
      if (!pointer) throw new Broken("the memory of the page is used up");
      new Uint8Array(memory.buffer, pointer, bytes.length).set(bytes);
      found = this.answer(call());
    } catch (error) {
      if (error instanceof Broken) throw error;
      throw new Broken(this.answer(fallen()).error.message);
    }
    if (found.error) throw new Fault(found.error);
    return found.answer;
  }
}
