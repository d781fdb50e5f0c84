import { fileURLToPath } from 'node:url';

/** Folder of the built pages; the same from the sources and from the bundle. */
export const WEB_DIR = fileURLToPath(new URL('../../dist/web', import.meta.url));
