/** What browsers with the File System Access API give, and the type library does not know yet. */
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

/** Whether it may be read; asks the person, which needs a click just before. */
export async function mayRead(handle: KeptHandle): Promise<boolean> {
  if (!handle.requestPermission) return true; // a browser that asks nobody
  try {
    return (await handle.requestPermission({ mode: 'read' })) === 'granted';
  } catch {
    return false; // not just after a click
  }
}

interface HandleGiver {
  getAsFileSystemHandle(): Promise<FileSystemHandle | null>;
}

/** In Chromium, on pages that came over https or from this machine. */
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

/** The browser's own dialogs that give handles, where there are any. */
export function handlePickers(): Pickers | undefined {
  return hasPickers(window) ? window : undefined;
}

function hasPickers(page: object): page is Pickers {
  return 'showOpenFilePicker' in page && 'showDirectoryPicker' in page;
}
