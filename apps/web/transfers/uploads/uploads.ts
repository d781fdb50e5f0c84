import { createBatch } from '../conflicts.ts';
import { bundleOf, droppedNodes, fileNode, type SourceNode } from './drop-tree.ts';
import type { UploadPlace } from './file-job.ts';
import { createUploadLines, type UploadLineOptions } from './lines.ts';
import { pickFileNodes, pickFolderNodes } from './picker.ts';
import { unfinishedJobs } from './restore.ts';

const SINGLE_LINES = 20; // up to this many files get a row each; more share one

export interface Uploads {
  uploadFiles(files: readonly File[], place: UploadPlace): void;
  /** Uploads dropped files and folders. Must be called inside the drop handler. */
  uploadDrop(transfer: DataTransfer, place: UploadPlace): Promise<void>;
  /** Opens the browser's dialog. Must be called from a click or a key press. */
  pickFiles(place: UploadPlace): Promise<void>;
  pickFolder(place: UploadPlace): Promise<void>;
  /** Uploads that were unfinished when the page was left. */
  restore(elsewhere: ReadonlySet<string>): Promise<void>;
}

export function createUploads(options: UploadLineOptions): Uploads {
  const { tools, list } = options;
  const lines = createUploadLines(options);

  function begin(nodes: readonly SourceNode[], place: UploadPlace): void {
    const batch = createBatch();
    const files = nodes.filter(({ kind }) => kind === 'file');
    const is_bundle = files.length > SINGLE_LINES;
    const single = is_bundle ? nodes.filter(({ kind }) => kind !== 'file') : nodes;
    for (const node of single) lines.begin(node, { place, batch });
    if (is_bundle) lines.begin(bundleOf(files), { place, batch });
  }

  return {
    uploadFiles: (files, place) => begin(files.map(fileNode), place),
    uploadDrop: async (transfer, place) => begin(await droppedNodes(transfer), place),
    pickFiles: async (place) => begin(await pickFileNodes(), place),
    pickFolder: async (place) => begin(await pickFolderNodes(), place),
    async restore(elsewhere) {
      const jobs = await unfinishedJobs(tools, { elsewhere, now_ms: Date.now() });
      for (const job of jobs) if (!list.row(job.id)) lines.wait(job);
    },
  };
}
