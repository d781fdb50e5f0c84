import { useQuery } from '@tanstack/solid-query';
import { For, Show } from 'solid-js';
import { take } from '#client/client.ts';
import { useApp } from '../../app/context.ts';
import { formatMoment, formatNumber, formatSize } from '../../lib/format.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { Name } from '../../parts/name.tsx';
import { QueryState } from '../../parts/query-state.tsx';
import type { FileTab } from '../file-tab.ts';
import type { Entry } from '../list/entries.ts';
import { totalSize } from '../list/selection.ts';
import { modeOf, toOctal } from './mode.ts';

interface Props {
  readonly entries: readonly Entry[];
  readonly files: FileTab;
  readonly onClose: () => void;
}

/** For one entry, its current properties on the host; for several, count and total size. */
export function FileProperties(props: Props) {
  const { t } = useApp();
  const [only] = props.entries;
  return (
    <Dialog title={t('files_properties')} onClose={props.onClose}>
      <Show when={props.entries.length === 1 && only} fallback={<Several entries={props.entries} />}>
        {(entry) => <One server_id={props.files.server_id} path={entry().path} />}
      </Show>
      <div class="actions">
        <CopyButton text={props.entries.map(({ path }) => path).join('\n')} label={t('files_copy_path')} />
        <button type="button" class="button" onClick={props.onClose}>
          {t('close')}
        </button>
      </div>
    </Dialog>
  );
}

function One(props: { server_id: number; path: string }) {
  const { client, t } = useApp();
  const stat = useQuery(() => ({
    queryKey: ['stat', props.server_id, props.path],
    queryFn: ({ signal }) =>
      take(
        client.http.GET('/api/files/{server_id}/stat', {
          params: { path: { server_id: props.server_id }, query: { path: props.path } },
          signal,
        }),
      ),
    retry: false,
    gcTime: 0,
  }));
  return (
    <QueryState query={stat} failure={t('files_stat_failed')}>
      {(data) => <Facts facts={useFacts(data())} />}
    </QueryState>
  );
}

function useFacts(entry: Entry): readonly Fact[] {
  const { preferences, t } = useApp();
  const { language } = preferences.values;
  const mode = modeOf(entry.permissions);
  const size = `${formatSize(entry.size, language)} (${t('files_bytes', { count: formatNumber(entry.size, language) })})`;
  return [
    { name: t('name'), value: entry.name },
    { name: t('path'), value: entry.path },
    { name: t('files_kind'), value: t(kindOf(entry)) },
    ...(entry.link_target === null ? [] : [{ name: t('files_link_target'), value: entry.link_target }]),
    ...(entry.is_dir ? [] : [{ name: t('column_size'), value: size }]),
    { name: t('column_modified'), value: formatMoment(entry.modified, language) },
    {
      name: t('column_permissions'),
      value: mode === undefined ? entry.permissions : `${entry.permissions} (${toOctal(mode)})`,
    },
    { name: t('files_owner'), value: `${entry.owner} · ${entry.group}` },
  ];
}

function kindOf({ is_dir, is_symlink }: Entry) {
  if (is_dir) return is_symlink ? 'directory_link' : 'directory';
  return is_symlink ? 'file_link' : 'file';
}

function Several(props: { entries: readonly Entry[] }) {
  const { preferences, t } = useApp();
  const directories = () => props.entries.filter(({ is_dir }) => is_dir).length;
  const facts = (): readonly Fact[] => [
    { name: t('files'), value: String(props.entries.length - directories()) },
    { name: t('files_directories'), value: String(directories()) },
    {
      name: t('files_size_of_files'),
      value: formatSize(totalSize(props.entries), preferences.values.language),
    },
  ];
  return <Facts facts={facts()} />;
}

interface Fact {
  readonly name: string;
  readonly value: string;
}

function Facts(props: { facts: readonly Fact[] }) {
  return (
    <dl class="facts file-facts">
      <For each={props.facts}>
        {(fact) => (
          <>
            <dt>{fact.name}</dt>
            <dd>
              <Name text={fact.value} />
            </dd>
          </>
        )}
      </For>
    </dl>
  );
}
