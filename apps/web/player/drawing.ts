const TURN_MS = 16; // one frame
const SLICE_CHARACTERS = 4096;
const SLICE_CONTROLS = 8; // each may begin a sequence that rewrites the whole screen

type Step = () => void;

/** Runs steps in order, and gives the page a turn whenever they took long. */
export interface Drawing {
  add(steps: Iterable<Step>): void;
  /** Drops the steps that have not run. */
  clear(): void;
  is_busy(): boolean;
}

export function createDrawing(now: () => number = () => performance.now()): Drawing {
  let waiting: Iterator<Step>[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  function run(): void {
    timer = undefined;
    const end_ms = now() + TURN_MS;
    for (let step = next(); step; step = next()) {
      step();
      if (now() >= end_ms) {
        timer = setTimeout(run);
        return;
      }
    }
  }

  function next(): Step | undefined {
    for (;;) {
      const [first] = waiting;
      const { done, value } = first?.next() ?? { done: true };
      if (!done) return value;
      if (!first) return undefined;
      waiting.shift();
    }
  }

  return {
    add(steps) {
      waiting.push(steps[Symbol.iterator]());
      if (timer === undefined) run();
    },
    clear() {
      waiting = [];
      clearTimeout(timer);
      timer = undefined;
    },
    is_busy: () => timer !== undefined,
  };
}

/** Parts of an output that are quick to draw, whatever they hold. */
export function* slicesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = endOfSlice(text, at);
    yield text.slice(at, end);
    at = end;
  }
}

function endOfSlice(text: string, from: number): number {
  const limit = Math.min(from + SLICE_CHARACTERS, text.length);
  let controls = 0;
  for (let at = from; at < limit; at++) {
    if (isControl(text.charCodeAt(at))) controls++;
    if (controls > SLICE_CONTROLS) return at;
  }
  return isLowSurrogate(text.charCodeAt(limit)) ? limit + 1 : limit;
}

const isControl = (code: number) => code < 0x20 || (code >= 0x7f && code < 0xa0);
const isLowSurrogate = (code: number) => code >= 0xdc00 && code < 0xe000;
