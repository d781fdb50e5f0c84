import { handlePickers } from './drop-handles.ts';
import { filesToNodes, handleNode, type SourceNode } from './drop-tree.ts';

/** The browser's file dialog. Empty if the user cancels it. */
export async function pickFileNodes(): Promise<SourceNode[]> {
  const pickers = handlePickers();
  if (!pickers) return filesToNodes(await chooseByInput({ directory: false }));
  return handleNodes(() => pickers.showOpenFilePicker({ multiple: true }), false);
}

export async function pickFolderNodes(): Promise<SourceNode[]> {
  const pickers = handlePickers();
  if (!pickers) return filesToNodes(await chooseByInput({ directory: true }));
  return handleNodes(async () => [await pickers.showDirectoryPicker({ mode: 'read' })], true);
}

/** Pages embedded in another site cannot use the handle dialogs. */
async function handleNodes(
  pick: () => Promise<FileSystemHandle[]>,
  directory: boolean,
): Promise<SourceNode[]> {
  try {
    return (await pick()).map(handleNode).filter((node) => node !== undefined);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return [];
    return filesToNodes(await chooseByInput({ directory }));
  }
}

function chooseByInput({ directory }: { directory: boolean }): Promise<File[]> {
  return new Promise((resolve) => {
    const input = document.body.appendChild(document.createElement('input'));
    input.type = 'file';
    input.multiple = true;
    input.webkitdirectory = directory;
    input.hidden = true;
    const end = () => {
      input.remove();
      resolve([...(input.files ?? [])]);
    };
    input.addEventListener('change', end, { once: true });
    input.addEventListener('cancel', end, { once: true });
    input.click();
  });
}
