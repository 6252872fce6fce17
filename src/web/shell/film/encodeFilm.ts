import {
  BufferTarget,
  CanvasSource,
  getFirstEncodableVideoCodec,
  Mp4OutputFormat,
  Output,
  QUALITY_VERY_HIGH,
  WebMOutputFormat,
} from 'mediabunny';
import { toPng } from '../capturePicture.ts';
import { type ZippedFile, zipFiles } from '../../kit/ui/zipFiles.ts';

/** Takes pictures of one size, one after the other. */
export interface FilmEncoder {
  readonly extension: 'mp4' | 'webm' | 'zip';
  /** What has been drawn into the canvas is the next picture. */
  add(): Promise<void>;
  finish(): Promise<Blob>;
  /** Ends it without a film. */
  cancel(): Promise<void>;
}

/** The best film that the browser can make of what is drawn into a canvas: MP4, else WebM, else PNG files. */
export async function createFilmEncoder(canvas: HTMLCanvasElement, fps: number): Promise<FilmEncoder> {
  // Browsers have no encoder on pages that do not count as secure, such as those of another host without TLS.
  if (typeof VideoEncoder === 'undefined') return createPictureZip(canvas);
  const { width, height } = canvas;
  const wanted = { width, height, quality: QUALITY_VERY_HIGH, frameRate: fps };
  const avc = await getFirstEncodableVideoCodec(['avc'], wanted);
  const codec = avc ?? (await getFirstEncodableVideoCodec(['vp9', 'vp8', 'av1'], wanted));
  if (codec === null) return createPictureZip(canvas);
  const extension = avc === null ? 'webm' : 'mp4';
  const target = new BufferTarget();
  const format = extension === 'mp4' ? new Mp4OutputFormat({ fastStart: 'in-memory' }) : new WebMOutputFormat();
  const output = new Output({ format, target });
  const source = new CanvasSource(canvas, { codec, quality: QUALITY_VERY_HIGH });
  output.addVideoTrack(source, { frameRate: fps });
  await output.start();
  let pictures = 0;
  return {
    extension,
    async add() {
      await source.add(pictures / fps, 1 / fps);
      pictures += 1;
    },
    async finish() {
      await output.finalize();
      if (target.buffer === null) throw new Error('The browser has made no film.');
      return new Blob([target.buffer], { type: `video/${extension}` });
    },
    cancel: () => output.cancel(),
  };
}

function createPictureZip(canvas: HTMLCanvasElement): FilmEncoder {
  const files: ZippedFile[] = [];
  return {
    extension: 'zip',
    async add() {
      const blob = await toPng(canvas);
      const number = String(files.length + 1).padStart(5, '0');
      files.push({ name: `${number}.png`, bytes: new Uint8Array(await blob.arrayBuffer()) });
    },
    async finish() {
      return zipFiles(files);
    },
    async cancel() {
      files.length = 0;
    },
  };
}
