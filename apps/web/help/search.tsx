import { createSignal, For, onCleanup, Show } from 'solid-js';
import { type Found, findSections, MOST_FOUND, type Piece } from './find.ts';
import type { Section } from './manual/rendered.ts';

/** The texts of the manual, loaded when they are first wanted. */
function createSections() {
  const [all, setAll] = createSignal<readonly Section[]>();
  const [has_failed, setFailed] = createSignal(false);
  let is_wanted = false;
  async function load(): Promise<void> {
    if (is_wanted) return;
    is_wanted = true;
    try {
      const { sections } = await import('virtual:manual/sections');
      setAll(sections);
    } catch {
      setFailed(true);
    }
  }
  return { all, has_failed, load };
}

/** Listens in the whole document while the search is shown. */
function listen<K extends keyof DocumentEventMap>(
  type: K,
  listener: (event: DocumentEventMap[K]) => void,
): void {
  document.addEventListener(type, listener);
  onCleanup(() => document.removeEventListener(type, listener));
}

/** Finds sections of the manual. `/` goes to the box, the arrow keys to the results, Escape closes them. */
export function Search() {
  const [text, setText] = createSignal('');
  const [is_open, setOpen] = createSignal(false);
  const sections = createSections();
  const found = () => findSections(text(), sections.all() ?? []);
  let place: HTMLDivElement | undefined;
  let box: HTMLInputElement | undefined;

  listen('keydown', (event) => {
    if (event.key !== '/' || isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    box?.select();
  });
  for (const type of ['pointerdown', 'focusin'] as const)
    listen(type, ({ target }) => {
      if (target instanceof Node && !place?.contains(target)) setOpen(false);
    });

  function onKey(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
    if (event.key === 'Escape') {
      box?.focus();
      setOpen(false);
    } else if (event.key === 'Enter' && event.target === box) {
      place?.querySelector<HTMLElement>('li a')?.click();
    } else walk(event);
  }
  function onInput(typed: string): void {
    setText(typed);
    setOpen(true);
  }
  function onFocus(): void {
    void sections.load();
    setOpen(true);
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hears the keys of the box and the links in it
    <div class="help-finder" ref={place} onKeyDown={onKey}>
      <input
        type="search"
        class="help-box"
        aria-label="Search the help"
        placeholder="Search ( / )"
        autocomplete="off"
        spellcheck={false}
        ref={box}
        onFocus={onFocus}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <Show when={is_open() && text().trim() !== ''}>
        <section class="help-found" aria-label="Search results">
          <p role="status" class="help-count">
            {sections.has_failed() ? FAILED : countOf(found().length, sections.all() === undefined)}
          </p>
          <ul>
            <For each={found()}>{(one) => <Result found={one} onChosen={() => setOpen(false)} />}</For>
          </ul>
        </section>
      </Show>
    </div>
  );
}

const FAILED = 'The search cannot be loaded. Reload the page to try again.';

function countOf(count: number, is_loading: boolean): string {
  if (is_loading) return 'Loading…';
  if (count === 0) return 'No section has these words.';
  if (count === MOST_FOUND) return `The ${count} best sections. More words find fewer.`;
  return count === 1 ? '1 section' : `${count} sections`;
}

function Result(props: { found: Found; onChosen: () => void }) {
  return (
    <li>
      <a href={props.found.path} onClick={() => props.onChosen()}>
        <span class="help-found-heading">
          <Pieces pieces={props.found.heading} />
        </span>
        <span class="help-found-page">{props.found.page}</span>
        <span class="help-found-excerpt">
          <Pieces pieces={props.found.excerpt} />
        </span>
      </a>
    </li>
  );
}

function Pieces(props: { pieces: readonly Piece[] }) {
  return <For each={props.pieces}>{({ text, is_match }) => (is_match ? <mark>{text}</mark> : text)}</For>;
}

function isTyping({ target }: Event): boolean {
  return target instanceof HTMLInputElement;
}

/** From the box to the first result, and from result to result. */
function walk(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('input, li a')];
  const focused = document.activeElement;
  const next = stops[(focused instanceof HTMLElement ? stops.indexOf(focused) : -1) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
