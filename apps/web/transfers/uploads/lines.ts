import { type Batch, createBatch } from '../conflicts.ts';
import { newTransferId } from '../id.ts';
import type { Job, Tell } from '../job.ts';
import type { TransferList } from '../list.ts';
import type { TransferRow, UploadKind } from '../row.ts';
import type { SourceNode } from './drop-tree.ts';
import { createFileJob, type UploadPlace } from './file-job.ts';
import { createFolderJob } from './folder-job.ts';
import type { KeptJob } from './ledger.ts';
import { bytesOnHost } from './restore.ts';
import type { UploadTools } from './upload.ts';
import { createWaitingJob } from './waiting-job.ts';

export interface UploadLineOptions {
  readonly tools: UploadTools;
  readonly list: TransferList;
  readonly onPlaced: (server_id: number, directory: string) => void;
}

export interface UploadLines {
  begin(node: SourceNode, wanted: Begin): void;
  /** Shows uploads that were unfinished when the page was left. */
  wait(kept: KeptJob): void;
}

/** Uploads as rows of the tray, stored so that a reload does not lose them. */
export function createUploadLines({ tools, list, onPlaced }: UploadLineOptions): UploadLines {
  const { ledger, user_id } = tools;

  function toJob(node: SourceNode, { place, batch, again }: Begin, kept: KeptJob): (tell: Tell) => Job {
    const placed = (directory: string) => onPlaced(place.server_id, directory);
    const shared = { id: kept.id, place, batch, onPlaced: placed };
    if (node.kind === 'directory') {
      const input = { ...shared, root: node, compare: again !== undefined };
      return (tell) => createFolderJob(tools, input, tell);
    }
    const onOpened = ({ size, lastModified }: File) =>
      void ledger.keepJob({ ...kept, size, modified_ms: lastModified });
    return (tell) => createFileJob(tools, { ...shared, source: node, onOpened }, tell);
  }

  function begin(node: SourceNode, wanted: Begin): void {
    const { place, again } = wanted;
    const likeness = { ...place, kind: kindOf(node), name: node.name };
    const id = again?.id ?? waitingLike(list.rows, likeness) ?? newTransferId();
    const unknown = { size: undefined, modified_ms: undefined };
    const fresh = { ...likeness, ...unknown, id, user_id, handle: node.handle, begun_ms: Date.now() };
    const kept = again ? { ...again, handle: node.handle } : fresh;
    void ledger.keepJob(kept);
    list.add({ ...likeness, id }, toJob(node, wanted, kept));
    list.job(id)?.start();
  }

  async function showWhatIsThere(id: string): Promise<void> {
    const sent_bytes = await bytesOnHost(tools, id);
    if (sent_bytes !== undefined && list.row(id)?.state === 'waiting') list.set(id, { sent_bytes });
  }

  return {
    begin,
    wait(kept) {
      const { id, kind, name, server_id, directory, size } = kept;
      const place = { server_id, directory };
      const goOn = (node: SourceNode) => begin(node, { place, batch: createBatch(), again: kept });
      const has_handle = kept.handle !== undefined;
      list.add({ ...place, id, kind, name, total_bytes: size, state: 'waiting', has_handle }, (tell) =>
        createWaitingJob(tools, { kept, goOn }, tell),
      );
      if (kind === 'file') void showWhatIsThere(id);
    },
  };
}

interface Begin {
  readonly place: UploadPlace;
  readonly batch: Batch;
  /** An upload from before a reload. */
  readonly again?: KeptJob;
}

function kindOf(node: SourceNode): UploadKind {
  if (node.kind === 'file') return 'file';
  return node.name === '' ? 'bundle' : 'folder';
}

type Likeness = Pick<TransferRow, 'kind' | 'name' | 'server_id' | 'directory'>;

/** Choosing the same file again resumes its waiting row. */
function waitingLike(rows: readonly TransferRow[], wanted: Likeness): string | undefined {
  const alike = rows.find(
    (row) =>
      row.state === 'waiting' &&
      row.kind !== 'bundle' && // each is a different set of files
      row.kind === wanted.kind &&
      row.name === wanted.name &&
      row.server_id === wanted.server_id &&
      row.directory === wanted.directory,
  );
  return alike?.id;
}
