import { createEffect, createResource, Match, on, Show, Switch } from 'solid-js';
import { render } from 'solid-js/web';
import { createPreferences } from './app/preferences.ts';
import { type ApiDocument, loadDocument, operationsOf } from './docs/document.ts';
import { asJson, exampleOf } from './docs/example.ts';
import { Variants } from './docs/frames.tsx';
import { Navigation } from './docs/navigation.tsx';
import { OperationView } from './docs/operation.tsx';
import { Overview } from './docs/overview.tsx';
import { createFragment, type Shown, shownAt, titleOf } from './docs/place.ts';
import { allRefusals } from './docs/refusals.ts';
import { RefusalTable } from './docs/refusals-view.tsx';
import { Sample } from './docs/sample.tsx';
import { SchemaView } from './docs/schema.tsx';
import './styles/fonts/fonts.ts';
import './styles/tokens.css';
import './styles/base.css';
import './docs/docs.css';

function DocsPage() {
  createPreferences();
  const [document] = createResource(loadWithFonts);
  return (
    <Switch fallback={<p class="docs-wait">Loading…</p>}>
      <Match when={document.error}>
        <p class="docs-wait" role="alert">
          The API description cannot be loaded. Reload the page to try again.
        </p>
      </Match>
      <Match when={document()}>{(loaded) => <Reference document={loaded()} />}</Match>
    </Switch>
  );
}

const FONTS_MS = 1000; // then the text is shown in another font

/** Shown together, or the text would move when its font comes. */
async function loadWithFonts(): Promise<ApiDocument> {
  const names = ['14px "Inter Variable"', '14px "JetBrains Mono Variable"'];
  const fonts = Promise.allSettled(names.map((name) => document.fonts.load(name)));
  const late = new Promise((resolve) => setTimeout(resolve, FONTS_MS));
  const [api] = await Promise.all([loadDocument(), Promise.race([fonts, late])]);
  return api;
}

/** One operation at a time: the page stays small, and a link to one needs no scrolling. */
function Reference(props: { document: ApiDocument }) {
  const fragment = createFragment();
  const shown = () => shownAt(fragment(), props.document);
  let main: HTMLElement | undefined;
  createEffect(() => {
    document.title = [titleOf(shown()), 'Sallyport API'].filter((part) => part !== '').join(' · ');
  });
  createEffect(
    on(
      fragment,
      () => {
        scrollTo(0, 0);
        main?.querySelector('h1')?.focus({ preventScroll: true });
      },
      { defer: true },
    ),
  );
  return (
    <div class="docs">
      <Navigation document={props.document} current={fragment()} />
      <main class="docs-main" ref={main}>
        <Show when={shown()} keyed>
          {(present) => <Article document={props.document} shown={present} />}
        </Show>
      </main>
    </div>
  );
}

function Article(props: { document: ApiDocument; shown: Shown }) {
  const { shown } = props;
  switch (shown.kind) {
    case 'overview':
      return <Overview document={props.document} />;
    case 'operation':
      return <OperationView document={props.document} operation={shown.operation} />;
    case 'codes':
      return <Codes document={props.document} />;
    case 'schema':
      return (
        <article class="docs-article">
          <h1 tabIndex={-1}>{shown.name}</h1>
          <p>{shown.schema.description}</p>
          <Show
            when={shown.schema.oneOf}
            fallback={
              <>
                <SchemaView schema={shown.schema} />
                <Sample title="Example" code={asJson(exampleOf(shown.schema, props.document))} />
              </>
            }
          >
            {(variants) => <Variants document={props.document} variants={variants()} />}
          </Show>
        </article>
      );
    case 'unknown':
      return (
        <article class="docs-article">
          <h1 tabIndex={-1}>Not in this version</h1>
          <p>
            This gateway has no operation or schema of that name. Find it with the filter, or see the{' '}
            <a href="#codes">list of error codes</a>.
          </p>
        </article>
      );
  }
}

function Codes(props: { document: ApiDocument }) {
  return (
    <article class="docs-article">
      <h1 tabIndex={-1}>Error codes</h1>
      <p>
        Every refusal is an <a href="#schema-Error">Error</a>. To find the operations with a code, type it
        into the filter.
      </p>
      <RefusalTable refusals={allRefusals(operationsOf(props.document))} />
    </article>
  );
}

const element = document.querySelector('#app');
if (element) render(() => <DocsPage />, element);
