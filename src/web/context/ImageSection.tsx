import type { FileRecord } from '../../shared/contract/files.ts';
import type { InfoResponse } from '../../shared/contract/info.ts';
import { FactSection } from './FactSection.tsx';
import { imageFacts } from './imageFacts.ts';

export function ImageSection({ file, info }: { readonly file: FileRecord; readonly info: InfoResponse }) {
  return <FactSection title="Image" facts={imageFacts(file, info)} />;
}
