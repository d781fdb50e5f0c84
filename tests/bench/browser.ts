import { chromium, type Page } from 'playwright-core';
import type { GatewayProcess } from './gateway-process.ts';

const PROGRAM = '/usr/bin/chromium-headless-shell';
// WebGL in software, as on a machine without a GPU.
const ARGS = ['--no-sandbox', '--disable-background-networking', '--enable-unsafe-swiftshader'];

export interface BenchBrowser {
  /** A page of its own, with an empty cache. */
  newPage(): Promise<Page>;
  /** The page of a signed-in administrator. */
  visit(gateway: GatewayProcess): Promise<Page>;
  close(): Promise<void>;
}

export async function openBrowser(): Promise<BenchBrowser> {
  const browser = await chromium.launch({ executablePath: PROGRAM, args: ARGS });
  async function newPage(): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US' });
    await context.addInitScript('globalThis.__name = (given) => given'); // tsx names every function that a page is given
    return context.newPage();
  }
  return {
    newPage,
    async visit({ url, token }) {
      const page = await newPage();
      const seed = await page.addInitScript(keepToken, token);
      await page.goto(url);
      await page.getByRole('button', { name: /^Account/ }).waitFor();
      await seed.dispose();
      return page;
    },
    close: () => browser.close(),
  };
}

/** Runs in the page, before the page's own scripts. */
function keepToken(token: string): void {
  sessionStorage.setItem(`sallyport:${new URL('.', location.href).pathname}:token`, JSON.stringify(token));
}
