import { ClientError } from '#client/transport/client-error.ts';
import type { Job, Tell } from '../job.ts';
import { discardParts } from './aim.ts';
import { mayRead } from './drop-handles.ts';
import { bundleOf, handleNode, type SourceNode } from './drop-tree.ts';
import type { KeptJob } from './ledger.ts';
import { pickFileNodes, pickFolderNodes } from './picker.ts';
import type { UploadTools } from './upload.ts';

/** An upload from before a reload. Starting it, by a click, gets the file back and replaces this job. */
export function createWaitingJob(
  tools: UploadTools,
  { kept, goOn }: { kept: KeptJob; goOn: (node: SourceNode) => void },
  tell: Tell,
): Job {
  let { handle } = kept;
  let is_asking = false;

  async function getBack(): Promise<void> {
    if (handle && !(await mayRead(handle))) return giveUpHandle();
    const node = handle ? handleNode(handle) : await pickNode(kept);
    if (!node) return;
    if (await isSame(node, kept)) goOn(node);
    else giveUpHandle(otherFile(kept));
  }

  /** The user must choose the file again. */
  function giveUpHandle(error?: unknown): void {
    handle = undefined;
    tell({ error, has_handle: false });
  }

  async function start(): Promise<void> {
    if (is_asking) return;
    is_asking = true;
    tell({ error: undefined });
    try {
      await getBack();
    } catch (error) {
      giveUpHandle(error);
    } finally {
      is_asking = false;
    }
  }

  return {
    start: () => void start(),
    stop: () => undefined,
    discard: () => discardParts(tools, kept.id),
    sent: () => 0,
  };
}

async function pickNode({ kind }: KeptJob): Promise<SourceNode | undefined> {
  const nodes = kind === 'folder' ? await pickFolderNodes() : await pickFileNodes();
  return kind === 'bundle' && nodes.length > 0 ? bundleOf(nodes) : nodes[0];
}

/** Different content must not be appended to what is on the host. */
async function isSame(node: SourceNode, { kind, name, size, modified_ms }: KeptJob): Promise<boolean> {
  if (kind !== 'file') return node.kind === 'directory' && node.name === name;
  if (node.kind !== 'file' || node.name !== name) return false;
  const file = await node.open();
  return size === undefined || (file.size === size && file.lastModified === modified_ms);
}

function otherFile({ name }: KeptJob): ClientError {
  return new ClientError({
    status: 0,
    code: 'other_file',
    detail: `This is not the ${name} that the upload started with`,
  });
}
