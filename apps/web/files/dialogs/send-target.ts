import { useQueryClient } from '@tanstack/solid-query';
import { createSignal } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { usePaneHost } from '../../workspace/panes/host.ts';
import type { FileTab } from '../file-tab.ts';
import { homeQuery } from '../list/entries.ts';

/** Where files are sent: the same directory, the home directory of another server, or what the user typed. */
export function createSendTarget(files: FileTab) {
  const { client } = useApp();
  const { servers } = usePaneHost();
  const queries = useQueryClient();
  const own_path = asDirectory(files.path());
  const [server_id, setServerId] = createSignal(files.server_id);
  const [path, setPath] = createSignal(own_path);
  const [is_asking, setAsking] = createSignal(false);
  let is_typed = false;

  async function homeOf(id: number): Promise<string> {
    try {
      return (await queries.fetchQuery(homeQuery(client, id))).path;
    } catch {
      return servers()?.find((server) => server.id === id)?.sftp_allowed_paths[0] ?? '/'; // the copy says what is wrong
    }
  }
  async function goHome(id: number): Promise<void> {
    setPath('');
    setAsking(true);
    const home = await homeOf(id);
    if (is_typed || server_id() !== id) return;
    setPath(asDirectory(home));
    setAsking(false);
  }
  return {
    server_id,
    path,
    /** The home directory is not known yet. */
    is_asking,
    typePath(typed: string): void {
      is_typed = true;
      setAsking(false);
      setPath(typed);
    },
    setServer(id: number): void {
      setServerId(id);
      if (is_typed) return;
      setAsking(false);
      if (id === files.server_id) setPath(own_path);
      else void goHome(id);
    },
  };
}

function asDirectory(path: string): string {
  return `${path.replace(/\/$/, '')}/`;
}
