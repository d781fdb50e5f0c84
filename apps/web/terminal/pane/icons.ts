/** The family of the icons that many prompts and file lists use. */
export const ICONS = 'Sallyport Icons';

// The first bytes of private use characters in UTF-8, where Nerd Fonts has its icons: U+E000 to U+F8FF and U+F0000 on.
const PLANE_END = 0xef;
const PLANE_END_LAST = 0xa3;
const FIRST = 0xee;
const SUPPLEMENT = 0xf3;
const SUPPLEMENT_FIRST = 0xb0;

/** Finds out from output whether it has such an icon, also if a character is split between two pieces. */
export function createIconScan(): (bytes: Uint8Array) => boolean {
  let before = 0;
  return (bytes) => {
    const last = before;
    before = bytes.at(-1) ?? before;
    return (
      bytes.includes(FIRST) || // natively, since most output has none of the three
      hasPair(bytes, last, PLANE_END, (next) => next >= 0x80 && next <= PLANE_END_LAST) ||
      hasPair(bytes, last, SUPPLEMENT, (next) => next >= SUPPLEMENT_FIRST)
    );
  };
}

function hasPair(
  bytes: Uint8Array,
  before: number,
  lead: number,
  isIcon: (next: number) => boolean,
): boolean {
  if (before === lead && isIcon(bytes[0] ?? 0)) return true;
  for (let at = bytes.indexOf(lead); at >= 0; at = bytes.indexOf(lead, at + 1))
    if (isIcon(bytes[at + 1] ?? 0)) return true;
  return false;
}

interface Icons {
  areLoaded(): boolean;
  /** Resolves once they can be drawn; false if they cannot be loaded. */
  load(): Promise<boolean>;
}

/** One megabyte, fetched for the first icon on this page. */
export const icons: Icons = createIcons();

function createIcons(): Icons {
  let are_loaded = false;
  let loading: Promise<boolean> | undefined;
  async function load(): Promise<boolean> {
    try {
      const { loadIconFont } = await import('./icon-font.ts');
      await loadIconFont(ICONS);
      are_loaded = true;
    } catch {
      loading = undefined; // no network: the next icon tries again
    }
    return are_loaded;
  }
  return {
    areLoaded: () => are_loaded,
    load: () => {
      loading ??= load();
      return loading;
    },
  };
}
