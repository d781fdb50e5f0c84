import { portable } from '#core/lib/paths/path-bytes.ts';

/** Names that cannot make any program write outside the folder it unpacks into. */
export interface ZipNames {
  /** Without a trailing slash; its contents are named below it. */
  directory(path: string): string;
  file(path: string): string;
}

/** Paths are relative, and a directory must come before its contents. */
export function createZipNames(): ZipNames {
  const unused = createUnused();
  const renamed = new Map<string, string>();

  function place(path: string): string {
    const segments = path.split('/');
    const parent = segments.slice(0, -1).join('/');
    const directory = renamed.get(parent) ?? segments.slice(0, -1).map(cleanSegment).join('/');
    const name = cleanSegment(segments.at(-1) ?? '');
    return unused(directory === '' ? name : `${directory}/${name}`);
  }
  return {
    file: place,
    directory(path) {
      const whole = place(path);
      if (whole !== path) renamed.set(path, whole);
      return whole;
    },
  };
}

/** A segment that every system unpacks as a single name. */
export function cleanSegment(segment: string): string {
  const cleaned = portable(segment)
    .replace(/[\p{Cc}\\/]/gu, '_')
    .replace(/^([A-Za-z]):/, '$1_');
  return /^\.{0,2}$/.test(cleaned) ? '_' : cleaned;
}

/** Appends a number to a taken name; remembers the next one, since thousands of paths may clean to one name. */
function createUnused(): (name: string) => string {
  const taken = new Set<string>();
  const numbers = new Map<string, number>();
  return (name) => {
    let free = name;
    for (let nth = numbers.get(name) ?? 2; taken.has(free); nth += 1) {
      free = numbered(name, nth);
      numbers.set(name, nth + 1);
    }
    taken.add(free);
    return free;
  };
}

function numbered(name: string, nth: number): string {
  const last = name.slice(name.lastIndexOf('/') + 1);
  const stem = last.replace(/(?<=.)\.[^.]*$/, '');
  const directory = name.slice(0, name.length - last.length);
  return `${directory}${stem} (${nth})${last.slice(stem.length)}`;
}
