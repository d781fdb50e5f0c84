import { createResource, createSignal, For, Match, Show, Switch } from 'solid-js';
import { render } from 'solid-js/web';
import { createPreferences } from './account/preferences.ts';
import { type ApiDocument, groupOperations, loadDocument, type Operation } from './docs/document.ts';
import { Code, Parameters, SchemaView } from './docs/schema.tsx';
import { Brand } from './parts/brand.tsx';
import './styles/fonts.ts';
import './styles/tokens.css';
import './styles/base.css';
import './docs/docs.css';

function DocsPage() {
  createPreferences();
  const [document] = createResource(loadDocument);
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

function Reference(props: { document: ApiDocument }) {
  const [filter, setFilter] = createSignal('');
  const groups = () => groupOperations(props.document, filter());
  const schemas = () => Object.entries(props.document.components?.schemas ?? {});
  return (
    <div class="docs">
      <nav class="docs-nav" aria-label="Operations">
        <a class="docs-home" href="./">
          <Brand name="Sallyport" />
        </a>
        <input
          type="search"
          class="docs-filter"
          aria-label="Filter operations"
          placeholder="Filter operations"
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        <For each={groups()} fallback={<p class="docs-soft">Nothing matches.</p>}>
          {(group) => (
            <section>
              <h2>{group.tag}</h2>
              <ul>
                <For each={group.operations}>
                  {(operation) => (
                    <li>
                      <a href={`#${operation.operationId}`}>
                        <Method name={operation.method} /> {operation.path.replace(/^\/api/, '')}
                      </a>
                    </li>
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
              {([name]) => (
                <li>
                  <a href={`#schema-${name}`}>{name}</a>
                </li>
              )}
            </For>
          </ul>
        </section>
      </nav>
      <main class="docs-main">
        <h1>
          {props.document.info.title} API <span class="docs-soft">{props.document.info.version}</span>
        </h1>
        <p>
          <Code text={props.document.info.description ?? ''} />
        </p>
        <For each={groups()}>
          {(group) => (
            <section aria-label={group.tag}>
              <h2 class="docs-tag">{group.tag}</h2>
              <For each={group.operations}>{(operation) => <OperationView operation={operation} />}</For>
            </section>
          )}
        </For>
        <section aria-label="schemas">
          <h2 class="docs-tag">schemas</h2>
          <For each={schemas()}>
            {([name, schema]) => (
              <article class="docs-card" id={`schema-${name}`}>
                <h3>{name}</h3>
                <SchemaView schema={schema} />
              </article>
            )}
          </For>
        </section>
      </main>
    </div>
  );
}

function OperationView(props: { operation: Operation }) {
  const responses = () => Object.entries(props.operation.responses ?? {});
  const body = () => props.operation.requestBody?.content?.['application/json']?.schema;
  return (
    <article class="docs-card" id={props.operation.operationId}>
      <h3 class="docs-route">
        <Method name={props.operation.method} /> <code>{props.operation.path}</code>
      </h3>
      <p>
        <strong>{props.operation.summary}</strong>
      </p>
      <Show when={props.operation.description}>
        {(text) => (
          <p>
            <Code text={text()} />
          </p>
        )}
      </Show>
      <Access operation={props.operation} />
      <Show when={props.operation.parameters}>
        {(parameters) => (
          <>
            <h4>Parameters</h4>
            <Parameters parameters={parameters()} />
          </>
        )}
      </Show>
      <Show when={body()}>
        {(schema) => (
          <>
            <h4>Request body</h4>
            <SchemaView schema={schema()} />
          </>
        )}
      </Show>
      <h4>Responses</h4>
      <dl class="docs-responses">
        <For each={responses()}>
          {([status, response]) => (
            <>
              <dt classList={{ good: status.startsWith('2') }}>{status}</dt>
              <dd>
                <Code text={response.description ?? ''} />
                <Show when={Object.values(response.content ?? {})[0]?.schema}>
                  {(schema) => <SchemaView schema={schema()} />}
                </Show>
              </dd>
            </>
          )}
        </For>
      </dl>
    </article>
  );
}

const ACCESS: Readonly<Record<string, string>> = {
  public: 'Open to all',
  user: 'Signed-in users',
  admin: 'Administrators only',
};
const ALLOWANCES: Readonly<Record<string, string>> = {
  password_change: 'while a password change is due',
  pending_2fa: 'with a pending 2FA token',
  demo_write: 'in demo mode',
  token_in_query: 'with the token in the query',
};

/** Who may call the operation, its exemptions from the gates, and its rate limit. */
function Access(props: { operation: Operation }) {
  const access = () => props.operation['x-access'] ?? '';
  return (
    <p class="docs-access">
      <span class="docs-badge">{ACCESS[access()] ?? access()}</span>
      <For each={props.operation['x-allow'] ?? []}>
        {(allowance) => <span class="docs-badge">Also {ALLOWANCES[allowance] ?? allowance}</span>}
      </For>
      <Show when={props.operation['x-rate']}>
        {(rate) => (
          <span class="docs-badge">
            {rate().limit} per {rate().window_s} s and {rate().by === 'ip' ? 'address' : 'user'}
          </span>
        )}
      </Show>
      <span class="docs-soft">{props.operation.operationId}</span>
    </p>
  );
}

function Method(props: { name: string }) {
  return <span class={`docs-method docs-${props.name.toLowerCase()}`}>{props.name}</span>;
}

const element = document.querySelector('#app');
if (element) render(() => <DocsPage />, element);
