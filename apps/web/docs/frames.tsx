import { For } from 'solid-js';
import { type ApiDocument, refName, type Schema } from './document.ts';
import { asJson, exampleOf } from './example.ts';
import { Code, SchemaView } from './schema.tsx';

interface Props {
  readonly document: ApiDocument;
  readonly schema: Schema;
}

/** The text frames of a socket, each with an example. */
export function Frames(props: Props) {
  const groups = () =>
    (props.schema.anyOf ?? []).map((one) => {
      const name = refName(one) ?? '';
      const from = name.includes('Gateway') ? 'from the gateway' : 'from the client';
      const named = props.document.components?.schemas?.[name] ?? one;
      return { name, from, variants: named.oneOf ?? [named] };
    });
  return (
    <For each={groups()}>
      {({ name, from, variants }) => (
        <section>
          <h4>
            Text frames {from}: <a href={`#schema-${name}`}>{name}</a>
          </h4>
          <Variants document={props.document} variants={variants} />
        </section>
      )}
    </For>
  );
}

/** Frames or events that differ by their `type`. */
export function Variants(props: { document: ApiDocument; variants: readonly Schema[] }) {
  return (
    <For each={props.variants}>
      {(variant) => (
        <details class="docs-variant">
          <summary>
            <code>{typeName(variant)}</code>{' '}
            <span class="docs-soft">
              <Code text={variant.description ?? ''} />
            </span>
          </summary>
          <SchemaView schema={variant} />
          <pre>{asJson(exampleOf(variant, props.document))}</pre>
        </details>
      )}
    </For>
  );
}

function typeName({ properties }: Schema): string {
  const kind = properties?.['type'];
  return String(kind?.const ?? kind?.enum?.[0] ?? 'frame');
}
