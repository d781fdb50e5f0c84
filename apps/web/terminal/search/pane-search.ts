import type { SearchAddon } from '@xterm/addon-search';
import type { Terminal } from '@xterm/xterm';

export interface SearchWish {
  readonly term: string;
  readonly is_case_sensitive: boolean;
  readonly is_regex: boolean;
}

export interface Found {
  /** The current match, from 1; 0 for none. */
  readonly at: number;
  readonly count: number;
}

export const MOST_FOUND = 1000;

export interface PaneSearch {
  /** `here` keeps the current match. */
  find(wish: SearchWish, way: 'here' | 'next' | 'previous'): Promise<void>;
  end(): void;
}

const LIGHT = { matchBackground: '#ffe9a8', activeMatchBackground: '#ffab40' };
const DARK = { matchBackground: '#5a4a16', activeMatchBackground: '#a86400' };

/** Searches a terminal's screen and scrollback. Loaded on first use. */
export function createPaneSearch(terminal: Terminal, onFound: (found: Found) => void): PaneSearch {
  let loading: Promise<SearchAddon> | undefined;
  let addon: SearchAddon | undefined;

  async function load(): Promise<SearchAddon> {
    const { SearchAddon } = await import('@xterm/addon-search');
    addon = new SearchAddon({ highlightLimit: MOST_FOUND });
    addon.onDidChangeResults(({ resultIndex, resultCount }) =>
      onFound({ at: resultIndex + 1, count: resultCount }),
    );
    terminal.loadAddon(addon);
    return addon;
  }

  return {
    async find({ term, is_case_sensitive, is_regex }, way) {
      loading ??= load(); // only once, so that requests stay in order
      const search = await loading.catch(() => {
        loading = undefined; // the gateway is unreachable: the next request retries
      });
      if (!search) return;
      if (way === 'here') {
        search.clearDecorations(); // version 0.16 does not notice changed options
        terminal.clearSelection(); // the search starts at the end
      }
      if (term === '' || (is_regex && !isPattern(term))) {
        onFound({ at: 0, count: 0 });
        return;
      }
      const options = { caseSensitive: is_case_sensitive, regex: is_regex, decorations: colorsOn(terminal) };
      if (way === 'next') search.findNext(term, options);
      else search.findPrevious(term, options);
    },
    end: () => addon?.clearDecorations(),
  };
}

export function isPattern(term: string): boolean {
  try {
    return Boolean(new RegExp(term));
  } catch {
    return false; // an incomplete expression
  }
}

function colorsOn(terminal: Terminal) {
  const colors = isDark(terminal.options.theme?.background ?? '') ? DARK : LIGHT;
  const { matchBackground: matchOverviewRuler, activeMatchBackground: activeMatchColorOverviewRuler } =
    colors;
  return { ...colors, matchOverviewRuler, activeMatchColorOverviewRuler };
}

/** Whether a computed color, `rgb(…)`, is dark. */
function isDark(color: string): boolean {
  const [red = 255, green = 255, blue = 255] = (color.match(/\d+(\.\d+)?/g) ?? []).map(Number);
  return red * 0.3 + green * 0.6 + blue * 0.1 < 128;
}
