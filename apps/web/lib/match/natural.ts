const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

const LONGEST = 256; // characters; a collator takes quadratic time for endless accents

/** Orders names as people count: `web-2` before `web-12`. Compares their first 256 characters. */
export function compareNaturally(one: string, other: string): number {
  return collator.compare(one.slice(0, LONGEST), other.slice(0, LONGEST));
}
