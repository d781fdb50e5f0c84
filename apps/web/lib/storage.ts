/** Browser storage for one small value; it may be unavailable. */
export interface Place {
  read(): unknown;
  write(value: unknown): void;
  clear(): void;
}

let is_stored = true;

/** Whether anything may be stored in this browser. */
export const mayStore = () => is_stored;

/** For a page of another site, where nothing may be stored: each place then lasts as long as the page. */
export function storeNothing(): void {
  is_stored = false;
}

function createMemory(): Place {
  let kept: unknown;
  return {
    read: () => kept,
    write: (value) => {
      kept = value;
    },
    clear: () => {
      kept = undefined;
    },
  };
}

/** The key includes the page's path: several gateways may share an origin under different prefixes. */
export function createPlace(kind: 'local' | 'session', name: string, page = document.baseURI): Place {
  if (!is_stored) return createMemory();
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
