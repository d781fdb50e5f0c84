const UPLOAD = /\/api\/files\/\d+\/uploads\/[\w-]+$/;
const METHODS: ReadonlySet<string> = new Set(['PATCH', 'DELETE', 'HEAD']);

interface Asked {
  readonly method: string;
  /** The query may be missing. */
  readonly url: string;
  readonly override: string | undefined;
}

/**
 * The method that a request means: tus clients whose environment has no PATCH or DELETE send POST with
 * `X-HTTP-Method-Override`. Only for uploads, so nothing else can be asked for in the guise of a POST.
 */
export function meantMethod({ method, url, override = '' }: Asked): string {
  const [path = ''] = url.split('?');
  const meant = override.toUpperCase();
  return method === 'POST' && METHODS.has(meant) && UPLOAD.test(path) ? meant : method;
}
