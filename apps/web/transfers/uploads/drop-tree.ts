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
  /** From the beginning each time; nothing of it is kept. */
  children(): AsyncIterable<SourceNode>;
  readonly handle?: KeptHandle;
}

/** A file or directory of the person's own machine. */
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

/** A reader gives some at a time, and none when it is through. */
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

/** What a directory chooser gives: all files below, each with its way from the directory. Empty ones are not among them. */
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

/** Many files chosen at once, as one thing. */
export function bundleOf(nodes: readonly SourceNode[]): DirectoryNode {
  return { kind: 'directory', name: '', children: () => each(nodes) };
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

/** Must be called while the drop event is handled: afterwards the browser has taken everything away. */
export function droppedNodes(transfer: DataTransfer): Promise<SourceNode[]> {
  const items = [...transfer.items].filter(({ kind }) => kind === 'file');
  return Promise.all(items.map(nodeOfItem)).then((nodes) => nodes.filter((node) => node !== undefined));
}

/** All three are asked for at once, while they can be; the handle is the best of them. */
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

/** Counts without keeping anything, telling how far it is from time to time. */
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

/** What cannot be read is told when its turn to be sent comes. */
export async function sizeOf(node: FileNode): Promise<number> {
  try {
    return (await node.open()).size;
  } catch {
    return 0;
  }
}
