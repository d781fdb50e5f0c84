/** Browser storage for one small value; it may be unavailable. */
export interface Place {
  read(): unknown;
  write(value: unknown): void;
  clear(): void;
}

/** The key includes the page's path: several gateways may share an origin under different prefixes. */
export function createPlace(kind: 'local' | 'session', name: string, page = document.baseURI): Place {
  const key = `sallyport:${new URL('.', page).pathname}:${name}`;
  const storage = storageOf(kind);
  return {
    read: () => parse(attempt(() => storage?.getItem(key))),
    write: (value) => attempt(() => storage?.setItem(key, JSON.stringify(value))),
    clear: () => attempt(() => storage?.removeItem(key)),
  };
}

function storageOf(kind: 'local' | 'session'): Storage | undefined {
  return attempt(() => (kind === 'local' ? localStorage : sessionStorage));
}

/** Storage throws in private windows and at full quota; every value kept here may be lost. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function parse(text: string | null | undefined): unknown {
  return text ? attempt(() => JSON.parse(text)) : undefined;
}
