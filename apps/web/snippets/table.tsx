import Pencil from 'lucide-solid/icons/pencil';
import Trash from 'lucide-solid/icons/trash';
import { Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { Lines, Name } from '../parts/name.tsx';
import { useReadOnlyReason } from '../parts/read-only.tsx';
import { ReasonButton } from '../parts/reason-button.tsx';
import type { BulkAction } from '../parts/table/bulk-run.ts';
import type { Column } from '../parts/table/column.ts';
import { DrawerActions, Fact, Facts } from '../parts/table/drawer.tsx';
import { rowFilter } from '../parts/table/row-filter.ts';
import { DataTable } from '../parts/table/table.tsx';
import { mayEdit, removeSnippet, type Snippet } from './snippets.ts';

interface Props {
  readonly snippets: readonly Snippet[];
  readonly onEdit: (snippet: Snippet) => void;
  readonly onDelete: (snippet: Snippet) => void;
  readonly onChanged: () => Promise<void>;
}

export function SnippetTable(props: Props) {
  const { t } = useApp();
  const columns: Column<Snippet>[] = [
    {
      ...{ id: 'name', title: 'name', is_row_name: true, width: 120, grow: 1 },
      sort: ({ name }) => name,
      cell: ({ name }) => name,
    },
    {
      ...{ id: 'command', title: 'snippet_command', width: 160, grow: 3, rank: 1 },
      tooltip: ({ command }) => command,
      cell: ({ command }) => (
        <code>
          <Name text={command} />
        </code>
      ),
    },
    {
      ...{ id: 'description', title: 'description', width: 140, grow: 1, rank: 3, class: 'table-soft' },
      sort: ({ description }) => description || undefined,
      tooltip: ({ description }) => description,
      cell: ({ description }) => description,
    },
    {
      ...{ id: 'state', title: 'state', width: 150, rank: 2 },
      cell: (snippet) => <Badges snippet={snippet} />,
    },
    {
      ...{ id: 'action', title: 'action', is_title_hidden: true, width: 72 },
      cell: (snippet) => <RowActions snippet={snippet} {...props} />,
    },
  ];
  const bulk = createSnippetBulk(() => props.onChanged());
  return (
    <DataTable
      id="snippets"
      labelled_by="snippets-title"
      columns={columns}
      rows={props.snippets}
      idOf={({ id }) => id}
      nameOf={({ name }) => name}
      filter={rowFilter(t, {
        label: 'snippet_search',
        textsOf: ({ name, command, description }: Snippet) => [name, command, description],
      })}
      bulk={bulk}
      details={(snippet) => <SnippetDetails snippet={snippet} {...props} />}
      empty={t('snippets_empty')}
    />
  );
}

function Badges(props: { snippet: Snippet }) {
  const { t } = useApp();
  return (
    <span class="table-badges">
      <Show when={props.snippet.shared}>
        <span class="badge">{t('snippet_shared')}</span>
      </Show>
      <Show when={props.snippet.confirm}>
        <span class="badge">{t('snippet_asks')}</span>
      </Show>
    </span>
  );
}

type RowProps = Pick<Props, 'onEdit' | 'onDelete'> & { readonly snippet: Snippet };

function useWhyNot(snippet: () => Snippet): () => string | undefined {
  const { session, t } = useApp();
  const why = useReadOnlyReason();
  return () => why() ?? (mayEdit(snippet(), session.user()) ? undefined : t('snippet_not_own'));
}

function RowActions(props: RowProps) {
  const { t } = useApp();
  const why = useWhyNot(() => props.snippet);
  const name = () => props.snippet.name;
  return (
    <>
      <ReasonButton
        class="icon-button icon-button-small"
        label={t('edit_of', { name: name() })}
        title={t('edit_of', { name: name() })}
        why={why()}
        onPress={() => props.onEdit(props.snippet)}
      >
        <Pencil size={15} aria-hidden="true" />
      </ReasonButton>
      <ReasonButton
        class="icon-button icon-button-small"
        label={t('delete_named', { name: name() })}
        title={t('delete_named', { name: name() })}
        why={why()}
        onPress={() => props.onDelete(props.snippet)}
      >
        <Trash size={15} aria-hidden="true" />
      </ReasonButton>
    </>
  );
}

function SnippetDetails(props: RowProps) {
  const { t } = useApp();
  const why = useWhyNot(() => props.snippet);
  return (
    <>
      <DrawerActions>
        <ReasonButton why={why()} onPress={() => props.onEdit(props.snippet)}>
          {t('edit')}
        </ReasonButton>
        <ReasonButton why={why()} onPress={() => props.onDelete(props.snippet)}>
          {t('delete')}
        </ReasonButton>
      </DrawerActions>
      <Facts>
        <Fact label={t('description')}>{props.snippet.description}</Fact>
        <Fact label={t('state')}>
          <Badges snippet={props.snippet} />
        </Fact>
      </Facts>
      <pre class="drawer-code">
        <Lines text={props.snippet.command} />
      </pre>
    </>
  );
}

function createSnippetBulk(after: () => Promise<void>): BulkAction<Snippet>[] {
  const { client, session, t } = useApp();
  return [
    {
      ...{ id: 'delete', label: t('bulk_delete'), text: t('snippet_delete_text'), danger: true, after },
      question: (count) => t('bulk_delete_snippets', { count }),
      skips: (snippet) => (mayEdit(snippet, session.user()) ? undefined : t('snippet_not_own')),
      run: (snippet) => removeSnippet(client, snippet),
    },
  ];
}
