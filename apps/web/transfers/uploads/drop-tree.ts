import { handleOf, isDirectoryHandle, isFileHandle, type KeptHandle } from './drop-handles.ts';

export interface FileNode {
  readonly kind: 'file';
  readonly name: string;
  open(): Promise<File>;
  readonly handle?: KeptHandle;
}

export interface DirectoryNode {
  readonly kind: 'directory';
  readonly name: string;
  /** Reads the directory anew each time. Nothing is cached. */
  children(): AsyncIterable<SourceNode>;
  readonly handle?: KeptHandle;
}

/** A file or directory on the user's computer. */
export type SourceNode = FileNode | DirectoryNode;

export function fileNode(file: File): FileNode {
  return { kind: 'file', name: file.name, open: async () => file };
}

export function handleNode(handle: FileSystemHandle): SourceNode | undefined {
  if (isFileHandle(handle)) return { kind: 'file', name: handle.name, handle, open: () => handle.getFile() };
  if (!isDirectoryHandle(handle)) return undefined;
  async function* children(): AsyncGenerator<SourceNode> {
    if (!isDirectoryHandle(handle)) return;
    for await (const child of handle.values()) {
      const node = handleNode(child);
      if (node) yield node;
    }
  }
  return { kind: 'directory', name: handle.name, handle, children };
}

export function entryNode(entry: FileSystemEntry): SourceNode | undefined {
  if (isFileEntry(entry)) {
    const open = () => new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    return { kind: 'file', name: entry.name, open };
  }
  if (!isDirectoryEntry(entry)) return undefined;
  return { kind: 'directory', name: entry.name, children: () => childrenOf(entry) };
}

/** A reader returns entries in batches and an empty one at the end. */
async function* childrenOf(entry: FileSystemDirectoryEntry): AsyncGenerator<SourceNode> {
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return;
    for (const child of some) {
      const node = entryNode(child);
      if (node) yield node;
    }
  }
}

function isFileEntry(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isDirectoryEntry(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

/** Builds a tree from a directory chooser, which lists all files with relative paths and omits empty directories. */
export function filesToNodes(files: readonly File[]): SourceNode[] {
  const ways = files.map((file): Way => ({ file, names: (file.webkitRelativePath || file.name).split('/') }));
  return nodesAt(ways, 0);
}

interface Way {
  readonly file: File;
  readonly names: readonly string[];
}

function nodesAt(ways: readonly Way[], depth: number): SourceNode[] {
  const nodes: SourceNode[] = [];
  const below = new Map<string, Way[]>();
  for (const way of ways) {
    const name = way.names[depth] ?? '';
    const siblings = below.get(name);
    if (way.names.length === depth + 1) nodes.push(fileNode(way.file));
    else if (siblings) siblings.push(way);
    else below.set(name, [way]);
  }
  for (const [name, inner] of below)
    nodes.push({ kind: 'directory', name, children: () => each(nodesAt(inner, depth + 1)) });
  return nodes;
}

/** Many files chosen together, as one tree. */
export function bundleOf(nodes: readonly SourceNode[]): DirectoryNode {
  return { kind: 'directory', name: '', children: () => each(nodes) };
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

/** Must be called inside the drop handler: afterwards the browser clears the data. */
export function droppedNodes(transfer: DataTransfer): Promise<SourceNode[]> {
  const items = [...transfer.items].filter(({ kind }) => kind === 'file');
  return Promise.all(items.map(nodeOfItem)).then((nodes) => nodes.filter((node) => node !== undefined));
}

/** Requests all three forms while the event allows it. The handle is preferred. */
async function nodeOfItem(item: DataTransferItem): Promise<SourceNode | undefined> {
  const asked = handleOf(item);
  const entry = item.webkitGetAsEntry?.() ?? undefined;
  const file = item.getAsFile();
  const handle = await asked;
  if (handle) return handleNode(handle);
  if (entry) return entryNode(entry);
  return file ? fileNode(file) : undefined;
}

export interface TreeSize {
  readonly files: number;
  readonly bytes: number;
}

/** Counts files and bytes without keeping them, and reports from time to time. */
export async function measureTree(
  root: DirectoryNode,
  signal: AbortSignal,
  tell: (size: TreeSize) => void,
): Promise<void> {
  let files = 0;
  let bytes = 0;
  const open = [root];
  for (let directory = open.pop(); directory; directory = open.pop()) {
    for await (const child of directory.children()) {
      signal.throwIfAborted();
      if (child.kind === 'directory') open.push(child);
      else {
        files += 1;
        bytes += await sizeOf(child);
      }
    }
    tell({ files, bytes });
  }
}

/** Unreadable files are reported when they are sent. */
export async function sizeOf(node: FileNode): Promise<number> {
  try {
    return (await node.open()).size;
  } catch {
    return 0;
  }
}
