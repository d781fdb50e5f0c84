import { getSearchQuery, type SearchQuery, searchPanelOpen } from '@codemirror/search';
import type { EditorState } from '@codemirror/state';
import { type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';

const MOST_HITS = 2000;
const BUDGET_MS = 30; // a large text is searched with each key
const MARK_PX = 2;

interface Places {
  readonly top_px: number;
  readonly height_px: number;
  readonly marks_px: readonly number[];
}

class FindMarks {
  readonly #view: EditorView;
  readonly #place = document.createElement('div');
  #hits: readonly number[] = [];

  constructor(view: EditorView) {
    this.#view = view;
    this.#place.className = 'cm-find-marks';
    this.#place.setAttribute('aria-hidden', 'true'); // the find bar says it in words
    view.dom.append(this.#place);
    this.#follow(true);
  }

  update({ docChanged, geometryChanged, state, startState }: ViewUpdate): void {
    const before = queryOf(startState);
    const query = queryOf(state);
    const is_same = query === before || (query && before?.eq(query));
    if (docChanged || !is_same) this.#follow(true);
    else if (geometryChanged && query) this.#follow(false);
  }

  destroy(): void {
    this.#place.remove();
  }

  #follow(is_new: boolean): void {
    const { state } = this.#view;
    if (is_new) this.#hits = hitsOf(state, queryOf(state));
    this.#view.requestMeasure({
      key: this,
      read: () => this.#measure(),
      write: (places) => this.#draw(places),
    });
  }

  #measure(): Places {
    const { scrollDOM, contentHeight } = this.#view;
    const height_px = scrollDOM.clientHeight;
    const scale = Math.min(1, height_px / Math.max(1, contentHeight));
    const tops = this.#hits.map((at) => this.#view.lineBlockAt(at).top * scale);
    const marks_px = [...new Set(tops.map((top) => Math.floor(top / MARK_PX) * MARK_PX))];
    return { top_px: scrollDOM.offsetTop, height_px, marks_px };
  }

  #draw({ top_px, height_px, marks_px }: Places): void {
    this.#place.style.top = `${top_px}px`;
    this.#place.style.height = `${height_px}px`;
    this.#place.replaceChildren(...marks_px.map(markAt));
  }
}

function markAt(top_px: number): HTMLElement {
  const mark = document.createElement('i');
  mark.style.top = `${top_px}px`;
  return mark;
}

/** Undefined while the find bar looks for nothing. */
function queryOf(state: EditorState): SearchQuery | undefined {
  const query = searchPanelOpen(state) ? getSearchQuery(state) : undefined;
  return query?.valid ? query : undefined;
}

function hitsOf(state: EditorState, query: SearchQuery | undefined): number[] {
  const hits: number[] = [];
  if (!query) return hits;
  const end_ms = performance.now() + BUDGET_MS;
  const cursor = query.getCursor(state);
  for (let step = cursor.next(); !step.done && hits.length < MOST_HITS; step = cursor.next()) {
    hits.push(step.value.from);
    if (performance.now() > end_ms) break;
  }
  return hits;
}

/** Marks the hits of the find bar along the scrollbar. */
export const findMarks = ViewPlugin.fromClass(FindMarks);
