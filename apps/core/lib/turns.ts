export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** At most `at_once` pieces of work at the same time; the others wait in line, and who finds it too long gets `tooMany()`. */
export function createLine(
  at_once: number,
  longest = Number.POSITIVE_INFINITY,
  tooMany?: () => Error,
): InTurn {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (waiting.length >= longest && tooMany) throw tooMany();
    if (running < at_once) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

export interface LineEnd {
  /** How many may wait; who comes then gets `tooMany()`. */
  readonly longest?: number;
  readonly tooMany?: () => Error;
}

export type InTurnOf = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** A line for each key, there as long as somebody is in it. */
export function createTurns(at_once: number, { longest, tooMany }: LineEnd = {}): InTurnOf {
  const lines = new Map<string, { readonly inTurn: InTurn; people: number }>();
  return async (key, work) => {
    const line = lines.get(key) ?? { inTurn: createLine(at_once, longest, tooMany), people: 0 };
    lines.set(key, line);
    line.people += 1;
    try {
      return await line.inTurn(work);
    } finally {
      line.people -= 1;
      if (line.people === 0) lines.delete(key);
    }
  };
}
