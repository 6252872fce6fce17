export type ReadEvent = { readonly name: string; readonly data: unknown };

/** The events of an answer of `/api/events`, as they arrive. Comments are left out. */
export async function* readEvents(response: Response): AsyncGenerator<ReadEvent, void> {
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const whole = text.lastIndexOf('\n\n') + 2;
    if (whole < 2) continue;
    for (const [, name = '', data = ''] of text.slice(0, whole).matchAll(/event: (\w+)\ndata: (.*)\n\n/g)) {
      yield { name, data: JSON.parse(data) };
    }
    text = text.slice(whole);
  }
}
