import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The `integrity` of the script tag for `/embed/sallyport.js`; null when the pages are not built. */
export function embedIntegrity(web_dir: string): string | null {
  try {
    const module = readFileSync(join(web_dir, 'embed/sallyport.js'));
    return `sha384-${createHash('sha384').update(module).digest('base64')}`;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
