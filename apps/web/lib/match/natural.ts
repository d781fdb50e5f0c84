const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** Orders names as people count: `web-2` before `web-12`. */
export function compareNaturally(one: string, other: string): number {
  return collator.compare(one, other);
}
