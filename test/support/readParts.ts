export type ReadPart = { readonly mediaType: string | undefined; readonly bytes: Buffer };

/** The parts of a multipart answer (RFC 2046), read strictly: every boundary must be where the standard says. */
export async function readParts(answer: Response): Promise<{ readonly type: string; readonly parts: ReadPart[] }> {
  const contentType = answer.headers.get('content-type') ?? '';
  const [, type, boundary] = /^multipart\/related; type="([^"]+)"; boundary=([\w-]+)$/.exec(contentType) ?? [];
  if (type === undefined || boundary === undefined) throw new Error(`not a multipart answer: ${contentType}`);
  const body = Buffer.from(await answer.arrayBuffer());
  const parts: ReadPart[] = [];
  let at = expectText(body, 0, `--${boundary}`);
  while (body.toString('latin1', at, at + 2) === '\r\n') {
    const headEnd = body.indexOf('\r\n\r\n', at);
    const end = body.indexOf(`\r\n--${boundary}`, headEnd + 2);
    const head = body.toString('latin1', at, headEnd);
    parts.push({
      mediaType: /\r\nContent-Type: ([^\r]*)/.exec(head)?.[1],
      bytes: body.subarray(headEnd + 4, end),
    });
    at = expectText(body, end, `\r\n--${boundary}`);
  }
  if (expectText(body, at, '--\r\n') !== body.length) throw new Error('bytes follow the last boundary');
  return { type, parts };
}

function expectText(body: Buffer, at: number, text: string): number {
  if (body.toString('latin1', at, at + text.length) !== text) throw new Error(`no ${JSON.stringify(text)} at ${at}`);
  return at + text.length;
}
