import { For, Show } from 'solid-js';
import { type ApiDocument, limitsOf, type Parameter, refName, type Schema, typeOf } from './document.ts';

/** Renders text in backticks as code. */
export function Code(props: { text: string }) {
  return (
    <For each={props.text.split('`')}>
      {(part, index) => (index() % 2 === 1 ? <code>{part}</code> : part)}
    </For>
  );
}

/** An object's fields as a table, or any other type on one line. */
export function SchemaView(props: { schema: Schema }) {
  const fields = () => Object.entries(props.schema.properties ?? {});
  const variants = () =>
    (props.schema.oneOf ?? props.schema.anyOf ?? []).filter(({ properties }) => properties);
  return (
    <Show
      when={variants().length === 0}
      fallback={<For each={variants()}>{(variant) => <SchemaView schema={variant} />}</For>}
    >
      <Show when={fields().length > 0} fallback={<TypeName schema={props.schema} />}>
        <div class="docs-scroll">
          <table class="docs-fields">
            <tbody>
              <For each={fields()}>
                {([name, schema]) => (
                  <tr>
                    <th scope="row">
                      <code>{name}</code>
                      <Show when={!props.schema.required?.includes(name)}>
                        <span class="docs-soft"> optional</span>
                      </Show>
                    </th>
                    <td>
                      <TypeName schema={schema} />
                      <Notes schema={schema} text={schema.description} />
                    </td>
                  </tr>
                )}
              </For>
            </tbody>
          </table>
        </div>
      </Show>
    </Show>
  );
}

/** A body: the name of its schema, and the fields that this stands for. */
export function BodySchema(props: { document: ApiDocument; schema: Schema }) {
  const name = () => refName(props.schema) ?? refName(props.schema.items);
  const named = () => props.document.components?.schemas?.[name() ?? ''];
  return (
    <Show when={named()} fallback={<SchemaView schema={props.schema} />}>
      {(fields) => (
        <>
          <p>
            <TypeName schema={props.schema} />
          </p>
          <Show when={fields().properties}>
            <SchemaView schema={fields()} />
          </Show>
        </>
      )}
    </Show>
  );
}

export function Parameters(props: { parameters: readonly Parameter[] }) {
  return (
    <div class="docs-scroll">
      <table class="docs-fields">
        <tbody>
          <For each={props.parameters}>
            {(parameter) => (
              <tr>
                <th scope="row">
                  <code>{parameter.name}</code>
                  <span class="docs-soft">
                    {' '}
                    {parameter.in}
                    {parameter.required ? '' : ', optional'}
                  </span>
                </th>
                <td>
                  <TypeName schema={parameter.schema ?? {}} />
                  <Notes schema={parameter.schema ?? {}} text={parameter.description} />
                </td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </div>
  );
}

function Notes(props: { schema: Schema; text: string | undefined }) {
  return (
    <>
      <Show when={limitsOf(props.schema)}>{(limits) => <span class="docs-soft"> {limits()}</span>}</Show>
      <Show when={props.text}>
        {(text) => (
          <p>
            <Code text={text()} />
          </p>
        )}
      </Show>
    </>
  );
}

/** A name links to its schema below; a list of objects shows their fields. */
function TypeName(props: { schema: Schema }) {
  const name = () => refName(props.schema) ?? refName(props.schema.items);
  return (
    <>
      <Show when={name()} fallback={<code class="docs-type">{typeOf(props.schema)}</code>}>
        {(target) => (
          <a href={`#schema-${target()}`}>
            <code>{typeOf(props.schema)}</code>
          </a>
        )}
      </Show>
      <Show when={props.schema.items?.properties}>
        <SchemaView schema={props.schema.items ?? {}} />
      </Show>
    </>
  );
}
