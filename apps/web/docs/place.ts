import { type Accessor, createSignal } from 'solid-js';
import { type ApiDocument, type Operation, operationsOf, type Schema } from './document.ts';

/** What the fragment of the address names. */
export type Shown =
  | { readonly kind: 'overview' | 'codes' | 'unknown' }
  | { readonly kind: 'operation'; readonly operation: Operation }
  | { readonly kind: 'schema'; readonly name: string; readonly schema: Schema };

/** The fragment: `#files.extract`, `#schema-Server`, `#codes`, or none. */
export function createFragment(): Accessor<string> {
  const read = () => decodeURIComponent(location.hash.slice(1));
  const [fragment, setFragment] = createSignal(read());
  addEventListener('hashchange', () => setFragment(read()));
  return fragment;
}

export function shownAt(fragment: string, document: ApiDocument): Shown {
  if (fragment === '') return { kind: 'overview' };
  if (fragment === 'codes') return { kind: 'codes' };
  const operation = operationsOf(document).find(({ operationId }) => operationId === fragment);
  if (operation) return { kind: 'operation', operation };
  const name = /^schema-(.*)/.exec(fragment)?.[1] ?? '';
  const schema = document.components?.schemas?.[name];
  return schema ? { kind: 'schema', name, schema } : { kind: 'unknown' };
}

export function titleOf(shown: Shown): string {
  switch (shown.kind) {
    case 'operation':
      return shown.operation.operationId;
    case 'schema':
      return shown.name;
    case 'codes':
      return 'Error codes';
    case 'overview':
    case 'unknown':
      return '';
  }
}
