import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';

const PRELUDE_END = Buffer.alloc(8); // what Lambda writes between the head and the body of a streamed response

/** The parts of Lambda's Node runtime that stream responses; must be there before the bundle is imported. */
export function provideLambdaRuntime(): void {
  Object.assign(globalThis, {
    awslambda: {
      streamifyResponse: <Handler>(run: Handler) => run,
      HttpResponseStream: {
        from(stream: PassThrough, head: object): PassThrough {
          stream.write(JSON.stringify(head));
          stream.write(PRELUDE_END);
          return stream;
        },
      },
    },
  });
}

export interface Streamed {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

type StreamingHandler = (event: object, stream: PassThrough, context: object) => Promise<void>;

export async function invokeStreaming(handler: StreamingHandler, event: object): Promise<Streamed> {
  const stream = new PassThrough();
  const [all] = await Promise.all([buffer(stream), handler(event, stream, {})]);
  const end = all.indexOf(PRELUDE_END);
  return { ...JSON.parse(all.subarray(0, end).toString()), body: all.subarray(end + PRELUDE_END.length) };
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly from?: string;
}

/** Payload format 2.0, as an HTTP API of API Gateway sends it. */
export function httpApiEvent(asked: Asked): object {
  return eventOf(asked, 'abc123.execute-api.eu-central-1.amazonaws.com', 'ANY /{proxy+}');
}

/** A function URL sends the same format, with other names. */
export function functionUrlEvent(asked: Asked): object {
  return eventOf(asked, 'abc123.lambda-url.eu-central-1.on.aws', '$default');
}

function eventOf(asked: Asked, domain: string, routeKey: string): object {
  const { method, path, query = '', headers = {}, body, from: sourceIp = '192.0.2.7' } = asked;
  return {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString: query,
    queryStringParameters: Object.fromEntries(new URLSearchParams(query)),
    headers: {
      host: domain,
      'x-amzn-trace-id': 'Root=1-5e6722a7-cc56xmpl46db7ae02d4da47e',
      'x-forwarded-for': sourceIp,
      'x-forwarded-port': '443',
      'x-forwarded-proto': 'https',
      ...headers,
    },
    requestContext: {
      accountId: '123456789012',
      apiId: 'abc123',
      authentication: null,
      domainName: domain,
      domainPrefix: 'abc123',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp, userAgent: 'test' },
      requestId: 'JKJaXmPLvHcESHA=',
      routeKey,
      stage: '$default',
      time: '10/Mar/2026:05:16:23 +0000',
      timeEpoch: 1773119783636,
    },
    ...(body
      ? { body: Buffer.from(body).toString('base64'), isBase64Encoded: true }
      : { isBase64Encoded: false }),
  };
}
