# Records the packets of videos, as FFmpeg reads them.
#
#   python3 makeVideos.py LAYERS_DATA > videos.json
#
# LAYERS_DATA is the folder of the files for layers. Nothing of negato is used. pydicom finds the fragments, and PyAV
# (FFmpeg) splits the stream into packets. Of each packet in the order of decoding: its time in milliseconds after the
# first one, and whether it is a key picture. `slices` is the SHA-256 of all units with slices (types 1 and 5), without
# start codes and lengths, which differ between containers. `colors` are those of three pixels of each frame, in the order
# of display: columns 40, 160 and 280 of row 195, over which a rainbow moves. Of the transport stream, the frame with the
# index 5 is also written to videoFrame5.png beside this script.
import glob
import hashlib
import io
import json
import os
import sys

import av
import pydicom
from PIL import Image
from pydicom.encaps import generate_fragments


def units(data, is_length_prefixed):
    if is_length_prefixed:
        at = 0
        while at < len(data):
            length = int.from_bytes(data[at:at + 4], 'big')
            yield data[at + 4:at + 4 + length]
            at += 4 + length
    else:
        for unit in data.replace(b'\0\0\0\1', b'\0\0\1').split(b'\0\0\1')[1:]:
            yield unit


def record(path):
    data = pydicom.dcmread(path)
    stream = b''.join(list(generate_fragments(data.PixelData))[1:])
    container = av.open(io.BytesIO(stream))
    video = container.streams.video[0]
    name = video.codec_context.name
    packets = [packet for packet in container.demux(video) if packet.size]
    times = [packet.pts for packet in packets]
    if None in times:
        # A bare stream has no times.
        times = None
    answer = {'file': os.path.basename(path), 'format': container.format.name, 'codec': name,
              'width': video.width, 'height': video.height, 'frames': len(packets),
              'keys': [at for at, packet in enumerate(packets) if packet.is_keyframe]}
    if times is not None:
        base = min(times)
        answer['times'] = [round(float((time - base) * video.time_base) * 1000) for time in times]
    if name == 'h264':
        digest = hashlib.sha256()
        for packet in packets:
            for unit in units(bytes(packet), container.format.name.startswith('mov')):
                if unit and unit[0] & 31 in (1, 5):
                    # A zero after the last unit belongs to the next start code.
                    digest.update(unit.rstrip(b'\0'))
        answer['slices'] = digest.hexdigest()
    if name == 'h264' and container.format.name == 'mpegts':
        frames = av.open(io.BytesIO(stream)).decode(video=0)
        pictures = [frame.to_ndarray(format='rgb24') for frame in frames]
        answer['colors'] = [[picture[195, x].tolist() for x in (40, 160, 280)] for picture in pictures]
        Image.fromarray(pictures[5]).save(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'videoFrame5.png'))
    return answer


folder = os.path.join(sys.argv[1], 'synthetic-phantom/video')
json.dump([record(path) for path in sorted(glob.glob(folder + '/*.dcm'))], sys.stdout)
print()
