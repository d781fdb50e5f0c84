import { useQueryClient } from '@tanstack/solid-query';
import { type GatewayClient, take } from '#client/client.ts';
import { useApp } from '../app/context.ts';
import type { Translate } from '../i18n/languages.ts';
import { reasonIn } from '../i18n/reason.ts';
import type { BulkAction } from '../parts/table/bulk-run.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import { type Server, type ServerPatch, tagsOf } from './servers.ts';

/** What can be done with several servers at once. */
export function createServerBulk(servers: () => readonly Server[]): BulkAction<Server>[] {
  const { client, t } = useApp();
  const { tabs } = useWorkspace();
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: ['servers'] });
  const groups = () => [...new Set(servers().flatMap(({ group }) => group || []))];
  const change = (server: Server, patch: ServerPatch) => patchServer(client, server, patch);
  return [
    {
      ...{ id: 'test', label: t('test'), after: refresh },
      question: (count) => t('bulk_test_servers', { count }),
      run: (server) => testServer(client, server, t),
    },
    {
      ...{ id: 'add_tag', label: t('bulk_add_tag'), after: refresh },
      question: (count) => t('bulk_tag_servers', { count }),
      field: {
        label: t('tag'),
        get known() {
          return tagsOf(servers());
        },
      },
      run: (server, tag) => change(server, { tags: [...new Set([...server.tags, tag])] }),
    },
    {
      ...{ id: 'remove_tag', label: t('bulk_remove_tag'), after: refresh },
      question: (count) => t('bulk_untag_servers', { count }),
      field: {
        label: t('tag'),
        get known() {
          return tagsOf(servers());
        },
      },
      run: (server, tag) => change(server, { tags: server.tags.filter((own) => own !== tag) }),
    },
    {
      ...{ id: 'group', label: t('bulk_set_group'), after: refresh },
      question: (count) => t('bulk_group_servers', { count }),
      field: {
        ...{ label: t('group'), hint: t('bulk_group_hint'), is_optional: true },
        get known() {
          return groups();
        },
      },
      run: (server, group) => change(server, { group }),
    },
    {
      ...{ id: 'delete', label: t('bulk_delete'), danger: true, text: t('delete_text'), after: refresh },
      question: (count) => t('bulk_delete_servers', { count }),
      async run(server) {
        await client.http.DELETE('/api/servers/{id}', { params: { path: { id: server.id } } });
        tabs.closeOf(server.id);
      },
    },
  ];
}

/** A failed test is the row's failure. */
async function testServer(client: GatewayClient, { id }: Server, t: Translate): Promise<string> {
  const result = await take(client.http.POST('/api/servers/{id}/test', { params: { path: { id } } }));
  if (typeof result === 'string') return result; // only where events were asked for
  if (result.code !== null) throw new Error(reasonIn(result.code, result.message, t));
  return t(new Set(result.stages.map(({ hop }) => hop)).size > 1 ? 'test_passed_by_jumps' : 'test_passed');
}

async function patchServer(client: GatewayClient, { id }: Server, body: ServerPatch): Promise<void> {
  await client.http.PUT('/api/servers/{id}', { params: { path: { id } }, body });
}
