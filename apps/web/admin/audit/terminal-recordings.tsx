import { queryOptions, useQuery } from '@tanstack/solid-query';
import Play from 'lucide-solid/icons/play';
import { For, Show } from 'solid-js';
import { type GatewayClient, take } from '#client/client.ts';
import { useApp } from '../../app/context.ts';
import { formatMoment } from '../../lib/format.ts';
import { Fact } from '../../parts/table/drawer.tsx';
import { useRecordingTabs } from '../../recordings/open-recording.ts';
import { RECORDINGS_KEY, type Recording } from '../../recordings/recordings.ts';
import type { AuditEntry } from './audit.ts';

const BEGINS_WITHIN_MS = 10_000; // the entry is written first, then the shell is recorded

/** The recordings that began when this user opened a terminal on this server: one, unless more were opened at once. */
function recordingsQuery(client: GatewayClient, { id, username, detail, created_at }: AuditEntry) {
  const to = new Date(Date.parse(created_at) + BEGINS_WITHIN_MS).toISOString();
  const query = { username, from: created_at, to, limit: 50 };
  return queryOptions({
    queryKey: [...RECORDINGS_KEY, 'of', id],
    queryFn: async ({ signal }) => {
      const found = await take(client.http.GET('/api/recordings', { params: { query }, signal }));
      return found.filter((recording) => isOf(recording, detail)).reverse();
    },
  });
}

/** `detail` is `harbor (#7)`, or `quick connect to ann@10.0.0.5`. */
function isOf({ server_name }: Recording, detail: string): boolean {
  const quick = `quick connect to ${server_name}`;
  return detail.startsWith(`${server_name} (#`) || detail === quick || detail.startsWith(`${quick}; `);
}

/** Links the recordings of an entry `terminal_open`. Shows nothing if the terminal was not recorded. */
export function TerminalRecordings(props: { entry: AuditEntry }) {
  const { client, preferences, t } = useApp();
  const open = useRecordingTabs();
  const found = useQuery(() => recordingsQuery(client, props.entry));
  const time = ({ started_at }: Recording) => formatMoment(started_at, preferences.values.language);
  return (
    <Show when={found.data?.length}>
      <Fact label={t('recordings')}>
        <For each={found.data}>
          {(recording) => (
            <button
              type="button"
              class="button"
              aria-label={t('recordings_play_of', { name: recording.server_name, time: time(recording) })}
              onClick={() => open(recording)}
            >
              <Play size={14} aria-hidden="true" /> {time(recording)}
            </button>
          )}
        </For>
      </Fact>
    </Show>
  );
}
