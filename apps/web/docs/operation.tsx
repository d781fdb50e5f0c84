import { createMemo, For, Show } from 'solid-js';
import { curlOf } from './curl.ts';
import { type ApiDocument, type Body, type Operation, refName, type Schema } from './document.ts';
import { asJson, exampleOf } from './example.ts';
import { Frames, Variants } from './frames.tsx';
import { refusalsOf } from './refusals.ts';
import { RefusalTable } from './refusals-view.tsx';
import { Sample } from './sample.tsx';
import { BodySchema, Code, Parameters } from './schema.tsx';

interface Props {
  readonly document: ApiDocument;
  readonly operation: Operation;
}

/** One operation: how to call it, what it answers, and what it refuses. */
export function OperationView(props: Props) {
  const operation = () => props.operation;
  const refusals = createMemo(() => refusalsOf(operation()));
  return (
    <article class="docs-article">
      <h1 tabIndex={-1}>
        <Code text={operation().summary ?? ''} />
      </h1>
      <p class="docs-route">
        <Method name={operation().method} /> <code>{operation().path}</code>
      </p>
      <Access operation={operation()} />
      <Show when={operation().description}>
        {(text) => (
          <p>
            <Code text={text()} />
          </p>
        )}
      </Show>
      <div class="docs-columns">
        <div>
          <Request {...props} />
          <Show when={operation()['x-websocket'] && schemaOf(operation().responses?.['101'])}>
            {(schema) => <Frames document={props.document} schema={schema()} />}
          </Show>
          <Answers {...props} />
        </div>
        <Samples {...props} />
      </div>
      <h2>What it may refuse</h2>
      <RefusalTable refusals={refusals().filter(({ is_general }) => !is_general)} />
      <details class="docs-variant">
        <summary>What any operation may refuse</summary>
        <RefusalTable refusals={refusals().filter(({ is_general }) => is_general)} />
      </details>
    </article>
  );
}

function Request(props: Props) {
  const body = () => props.operation.requestBody;
  return (
    <>
      <Show when={(props.operation.parameters ?? []).length > 0 && props.operation.parameters}>
        {(parameters) => (
          <>
            <h2>Parameters</h2>
            <Parameters parameters={parameters()} />
          </>
        )}
      </Show>
      <Show when={body()}>
        {(present) => (
          <>
            <h2>
              Request body <span class="docs-soft">{Object.keys(present().content ?? {})[0]}</span>
            </h2>
            <BodySchema document={props.document} schema={schemaOf(present()) ?? {}} />
          </>
        )}
      </Show>
    </>
  );
}

/** The answers that are no refusals. */
function Answers(props: Props) {
  return (
    <For each={answersOf(props.operation)}>
      {([status, answer]) => (
        <>
          <h2>
            Response {status}{' '}
            <span class="docs-soft">
              {status === '101' ? '' : Object.keys(answer.content ?? {}).join(', ')}
            </span>
          </h2>
          <p>
            <Code text={answer.description ?? ''} />
          </p>
          <Show when={status !== '101' && schemaOf(answer)}>
            {(schema) => (
              <>
                <BodySchema document={props.document} schema={schema()} />
                <Variants document={props.document} variants={eventsOf(schema(), props.document)} />
              </>
            )}
          </Show>
        </>
      )}
    </For>
  );
}

function Samples(props: Props) {
  const base = new URL('.', location.href).href.replace(/\/$/, '');
  const body = () => props.operation.requestBody?.content?.['application/json']?.schema;
  const answers = () =>
    answersOf(props.operation).flatMap(([status, { content }]) => {
      const schema = status === '101' ? undefined : content?.['application/json']?.schema;
      return schema ? [{ status, schema }] : [];
    });
  return (
    <div class="docs-samples">
      <Sample
        title={props.operation['x-websocket'] ? 'Command' : 'curl'}
        code={curlOf(props.operation, props.document, base)}
      />
      <Show when={body()}>
        {(schema) => <Sample title="Request" code={asJson(exampleOf(schema(), props.document))} />}
      </Show>
      <For each={answers()}>
        {({ status, schema }) => (
          <Sample title={`Response ${status}`} code={asJson(exampleOf(schema, props.document))} />
        )}
      </For>
    </div>
  );
}

function answersOf({ responses = {} }: Operation): [string, Body][] {
  return Object.entries(responses).filter(([status]) => /^[123]/.test(status));
}

function schemaOf(body: Body | undefined): Schema | undefined {
  return Object.values(body?.content ?? {})[0]?.schema;
}

/** The variants of a named event. */
function eventsOf(schema: Schema, { components }: ApiDocument): readonly Schema[] {
  const name = refName(schema.contentSchema) ?? refName(schema);
  return components?.schemas?.[name ?? '']?.oneOf ?? [];
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
      <a class="docs-id" href={`#${props.operation.operationId}`}>
        {props.operation.operationId}
      </a>
      <span class="docs-badge">{ACCESS[access()] ?? access()}</span>
      <Show when={props.operation['x-scope']}>
        {(scope) => (
          <span class="docs-badge">
            {scope() === 'session' ? 'No API keys' : `API key scope: ${scope()}`}
          </span>
        )}
      </Show>
      <Show when={props.operation['x-fresh']}>
        <span class="docs-badge">Needs a recent sign-in</span>
      </Show>
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
    </p>
  );
}

export function Method(props: { name: string }) {
  return <span class={`docs-method docs-${props.name.toLowerCase()}`}>{props.name}</span>;
}
