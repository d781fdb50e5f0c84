import axe from 'axe-core';
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { freshAddress } from '../gateway/gateway.ts';

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
];

export interface Browser {
  readonly page: Page;
  /** What a person would never see and a test must not pass over: page errors, CSP violations, outside requests. */
  problems(): string[];
  /** Serious findings of axe on the page as it is. */
  accessibility(): Promise<string[]>;
  close(): Promise<void>;
}

export interface SharedBrowser {
  /** A tab of its own, signed in with this token if there is one; closing it forgets all that the page has stored. */
  visit(url: string, token?: string): Promise<Browser>;
  close(): Promise<void>;
}

/** A Chromium of its own, on the gateway's page; `dom` keeps the terminal's text readable. */
export async function openBrowser(url: string, options: BrowserContextOptions = {}): Promise<Browser> {
  const context = await launch(options);
  const page = context.pages()[0] ?? (await context.newPage());
  return { ...(await showGateway(page, url)), close: () => context.close() };
}

/** One Chromium for many visits: what it has loaded and compiled once is at hand for all. */
export async function shareBrowser(options: BrowserContextOptions = {}): Promise<SharedBrowser> {
  const context = await launch(options);
  const idle = context.pages()[0] ?? (await context.newPage()); // the browser ends with its last page
  return {
    async visit(url, token) {
      const page = await context.newPage();
      await page.setExtraHTTPHeaders({ 'x-forwarded-for': freshAddress() }); // the login limit counts by address
      const seed = token === undefined ? undefined : await page.addInitScript(keepToken, token);
      const browser = await showGateway(page, url);
      await seed?.dispose(); // later the page minds its token by itself
      return { ...browser, close: () => forget(context, idle, url) };
    },
    close: () => context.close(),
  };
}

function launch(options: BrowserContextOptions): Promise<BrowserContext> {
  return chromium.launchPersistentContext('', {
    executablePath: '/usr/bin/chromium',
    args: ARGS,
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    acceptDownloads: true,
    ...options,
  });
}

/** Runs in the page, before its own scripts. */
function keepToken(token: string): void {
  sessionStorage.setItem(`sallyport:${new URL('.', location.href).pathname}:token`, JSON.stringify(token));
}

async function forget(context: BrowserContext, idle: Page, url: string): Promise<void> {
  await Promise.all(context.pages().map((page) => page !== idle && page.close()));
  const session = await context.newCDPSession(idle);
  const { origin } = new URL(url);
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await session.detach();
}

async function showGateway(page: Page, url: string): Promise<Omit<Browser, 'close'>> {
  const problems = watchProblems(page, url);
  await page.goto(`${url}/#/?renderer=dom`);
  return { page, problems: () => [...problems], accessibility: () => audit(page) };
}

/** What it is told of from now on. */
export function watchProblems(page: Page, url: string): string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`page error: ${error.message}`));
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) problems.push(message.text());
  });
  page.on('request', (request) => {
    const outside =
      !request.url().startsWith(url) && !/^(data|blob|chrome|chrome-extension):/.test(request.url());
    if (outside) problems.push(`outside request: ${request.url()}`);
  });
  return problems;
}

/** Through the debugger's own evaluation, which the page's policy does not concern. */
export async function audit(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate<Finding[]>(
    'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, impact, nodes }) => ({ id, impact, target: String(nodes[0]?.target) })))',
  );
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, target }) => `${id}: ${target}`);
}

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly target: string;
}
