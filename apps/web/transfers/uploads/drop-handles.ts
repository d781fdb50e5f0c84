/** File System Access API members that TypeScript's library does not declare yet. */
export interface KeptFileHandle extends FileSystemFileHandle {
  requestPermission?(wanted: { mode: 'read' }): Promise<PermissionState>;
}

export interface KeptDirectoryHandle extends FileSystemDirectoryHandle {
  requestPermission?(wanted: { mode: 'read' }): Promise<PermissionState>;
}

export type KeptHandle = KeptFileHandle | KeptDirectoryHandle;

export function isFileHandle(handle: FileSystemHandle): handle is KeptFileHandle {
  return handle.kind === 'file';
}

export function isDirectoryHandle(handle: FileSystemHandle): handle is KeptDirectoryHandle {
  return handle.kind === 'directory';
}

/** Whether it may be read. Asks the user, which needs a recent click. */
export async function mayRead(handle: KeptHandle): Promise<boolean> {
  if (!handle.requestPermission) return true; // a browser without permission prompts
  try {
    return (await handle.requestPermission({ mode: 'read' })) === 'granted';
  } catch {
    return false; // no recent click
  }
}

interface HandleGiver {
  getAsFileSystemHandle(): Promise<FileSystemHandle | null>;
}

/** Available in Chromium on https or localhost. */
export function handleOf(item: DataTransferItem): Promise<FileSystemHandle | null> | undefined {
  return givesHandles(item) ? item.getAsFileSystemHandle().catch(() => null) : undefined;
}

function givesHandles(item: object): item is HandleGiver {
  return 'getAsFileSystemHandle' in item && typeof item.getAsFileSystemHandle === 'function';
}

interface Pickers {
  showOpenFilePicker(options: { multiple: true }): Promise<FileSystemFileHandle[]>;
  showDirectoryPicker(options: { mode: 'read' }): Promise<FileSystemDirectoryHandle>;
}

/** The browser's dialogs that return handles, if it has them. */
export function handlePickers(): Pickers | undefined {
  return hasPickers(window) ? window : undefined;
}

function hasPickers(page: object): page is Pickers {
  return 'showOpenFilePicker' in page && 'showDirectoryPicker' in page;
}
