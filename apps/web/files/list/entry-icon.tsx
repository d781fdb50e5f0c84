import File from 'lucide-solid/icons/file';
import FileArchive from 'lucide-solid/icons/file-archive';
import FileCode from 'lucide-solid/icons/file-code';
import FileCog from 'lucide-solid/icons/file-cog';
import FileImage from 'lucide-solid/icons/file-image';
import FileKey from 'lucide-solid/icons/file-key';
import FileMusic from 'lucide-solid/icons/file-music';
import FilePlay from 'lucide-solid/icons/file-play';
import FileSpreadsheet from 'lucide-solid/icons/file-spreadsheet';
import FileSymlink from 'lucide-solid/icons/file-symlink';
import FileTerminal from 'lucide-solid/icons/file-terminal';
import FileText from 'lucide-solid/icons/file-text';
import Folder from 'lucide-solid/icons/folder';
import FolderSymlink from 'lucide-solid/icons/folder-symlink';
import { Show } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { useApp } from '../../app/context.ts';
import type { Entry } from './entries.ts';
import { type LookOfFile, lookOf } from './look.ts';

type Kind = LookOfFile | 'directory' | 'directory_link' | 'file_link';

const ICONS: Readonly<Record<Kind, typeof File>> = {
  directory: Folder,
  directory_link: FolderSymlink,
  file_link: FileSymlink,
  other: File,
  text: FileText,
  code: FileCode,
  config: FileCog,
  script: FileTerminal,
  key: FileKey,
  table: FileSpreadsheet,
  image: FileImage,
  audio: FileMusic,
  video: FilePlay,
  archive: FileArchive,
};

function kindOf({ name, is_dir, is_symlink }: Entry): Kind {
  if (is_dir) return is_symlink ? 'directory_link' : 'directory';
  return is_symlink ? 'file_link' : lookOf(name);
}

/** An icon by type; its label tells directories, files and links apart. */
export function EntryIcon(props: { entry: Entry }) {
  const { t } = useApp();
  const labelOf = (kind: Kind) =>
    t(kind === 'directory' || kind === 'directory_link' || kind === 'file_link' ? kind : 'file');
  return (
    // Keyed by kind, and with fixed properties: a new icon for each row would take most of the time of scrolling.
    <Show when={kindOf(props.entry)} keyed>
      {(kind) => (
        <Dynamic
          component={ICONS[kind]}
          class={kind.startsWith('directory') ? 'icon-folder' : 'icon-file'}
          size={16}
          role="img"
          aria-label={labelOf(kind)}
        />
      )}
    </Show>
  );
}
