import { createEffect, createSignal, For, Show } from 'solid-js';
import { Brand } from '../parts/brand.tsx';
import { type ApiDocument, groupOperations } from './document.ts';
import { Method } from './operation.tsx';

interface Props {
  readonly document: ApiDocument;
  /** The fragment of the address. */
  readonly current: string;
}

/** Every operation and schema, with a filter. `/` goes to the filter, the arrow keys to the links. */
export function Navigation(props: Props) {
  const [filter, setFilter] = createSignal('');
  const groups = () => groupOperations(props.document, filter());
  const words = () => filter().toLowerCase().trim();
  const schemas = () =>
    Object.keys(props.document.components?.schemas ?? {}).filter((name) =>
      name.toLowerCase().includes(words()),
    );
  let nav: HTMLElement | undefined;
  let box: HTMLInputElement | undefined;

  addEventListener('keydown', (event) => {
    const is_typing = event.target instanceof HTMLInputElement;
    if (event.key !== '/' || is_typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    box?.select();
  });
  createEffect(() => {
    const link = nav?.querySelector(`[href="#${CSS.escape(props.current)}"]`);
    link?.scrollIntoView({ block: 'nearest' });
  });
  return (
    <nav class="docs-nav" aria-label="Operations" ref={nav} onKeyDown={walkLinks}>
      <a class="docs-home" href="./">
        <Brand name="Sallyport" />
      </a>
      <input
        type="search"
        class="docs-filter"
        aria-label="Filter operations"
        placeholder="Filter, also by code ( / )"
        ref={box}
        onInput={(event) => setFilter(event.currentTarget.value)}
      />
      <div class="docs-links">
        <ul>
          <Link to="" text="Overview" current={props.current} />
          <Link to="codes" text="Error codes" current={props.current} />
        </ul>
        <For each={groups()} fallback={<p class="docs-soft">No operation matches.</p>}>
          {(group) => (
            <section>
              <h2>{group.tag}</h2>
              <ul>
                <For each={group.operations}>
                  {({ operationId, method, path }) => (
                    <Link
                      to={operationId}
                      text={path.replace(/^\/api/, '')}
                      method={method}
                      current={props.current}
                    />
                  )}
                </For>
              </ul>
            </section>
          )}
        </For>
        <section>
          <h2>schemas</h2>
          <ul>
            <For each={schemas()}>
              {(name) => <Link to={`schema-${name}`} text={name} current={props.current} />}
            </For>
          </ul>
        </section>
      </div>
    </nav>
  );
}

function Link(props: { to: string; text: string; method?: string; current: string }) {
  return (
    <li>
      <a
        href={`#${props.to}`}
        title={props.text}
        aria-current={props.current === props.to ? 'page' : undefined}
      >
        <Show when={props.method}>{(name) => <Method name={name()} />}</Show> {props.text}
      </a>
    </li>
  );
}

/** From the filter to the first link, and from link to link. */
function walkLinks(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('input, li a')];
  const focused = document.activeElement;
  const at = focused instanceof HTMLElement ? stops.indexOf(focused) : -1;
  const next = stops[at + step];
  if (at < 0 || !next) return;
  event.preventDefault();
  next.focus();
}
