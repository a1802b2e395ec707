"""Sends requests as the document describes them, and checks them and the answers with its schemas.

A cut-out, a classification, a batch. Python's own library and `jsonschema`: a document that this reads without a rule
for it alone is one that generators for Python read, too.
"""

import base64
import json
import re
import sys
import urllib.error
import urllib.request

from jsonschema import Draft202012Validator

base_url, key, photo, document_path = sys.argv[1:5]
with open(document_path, encoding="utf-8") as file:
    document = json.load(file)
with open(photo, "rb") as file:
    image = file.read()

operations = {
    operation["operationId"]: (method.upper(), path, operation)
    for path, methods in document["paths"].items()
    for method, operation in methods.items()
}


def resolve(part):
    while "$ref" in part:
        names = part["$ref"].removeprefix("#/").split("/")
        part = document
        for name in names:
            part = part[name]
    return part


def check(schema, value):
    whole = {**schema, "components": document["components"]}
    Draft202012Validator(whole).validate(value)


def multipart(fields):
    boundary = "selvage-python"
    parts = []
    for name, value in fields.items():
        is_file = isinstance(value, bytes)
        extra = '; filename="photo.jpg"\r\nContent-Type: image/jpeg' if is_file else ""
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{extra}\r\n\r\n'
        parts.append(head.encode() + (value if is_file else json.dumps(value).encode()) + b"\r\n")
    return b"".join(parts) + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


def encode(operation, body):
    content = operation["requestBody"]["content"]
    media_type = "application/x-ndjson" if isinstance(body, str) else next(iter(content))
    schema = content[media_type].get("schema", {})
    if media_type == "multipart/form-data":
        check(schema, {name: "" if isinstance(value, bytes) else value for name, value in body.items()})
        return multipart(body)
    if isinstance(body, str):
        return body.encode(), media_type
    check(schema, body)
    return json.dumps(body).encode(), media_type


def call(operation_id, body=None, **parameters):
    method, path, operation = operations[operation_id]
    url = base_url + re.sub(r"\{(\w+)\}", lambda match: parameters[match[1]], path).split("#")[0]
    headers = {"Authorization": f"Bearer {key}"}
    data = None
    if body is not None:
        data, headers["Content-Type"] = encode(operation, body)
    request = urllib.request.Request(url, data=data, method=method, headers=headers)
    try:
        response = urllib.request.urlopen(request)
    except urllib.error.HTTPError as error:
        response = error
    with response:
        answer = response.read()
        media_type = response.headers.get_content_type()
        described = operation["responses"]
        content = resolve(described.get(str(response.status)) or described["default"])["content"]
        schema = content[media_type].get("schema", {})
        if media_type.endswith("json"):
            answer = json.loads(answer)
            check(schema, answer)
        return media_type, answer


for name, schema in document["components"]["schemas"].items():
    Draft202012Validator.check_schema(schema)
for pattern in re.findall(r'"pattern":("(?:[^"\\]|\\.)*")', json.dumps(document, separators=(",", ":"))):
    re.compile(json.loads(pattern))

media_type, cutout = call("removeBackground", {"image": image, "crop": True})
_, text = call("removeBackgroundAsJson", {"image_base64": base64.b64encode(image).decode()})
_, classified = call("classifyGarment", {"attributes": {"title": "Blue denim jacket"}})
_, batch = call("createBatch", {"operations": ["remove-background"]})
row = json.dumps({"customId": "shirt", "imageBase64": base64.b64encode(image).decode()})
_, uploaded = call("addBatchItems", row + "\n", id=batch["id"])
_, sealed = call("sealBatch", id=batch["id"])
_, refused = call("getJob", id="none")

print(
    json.dumps(
        {
            "mediaType": media_type,
            "bytes": len(cutout),
            "base64": text["image_base64"][:4],
            "category": classified["category"]["id"],
            "accepted": uploaded["accepted"],
            "status": sealed["status"],
            "refused": refused["type"],
        }
    )
)
