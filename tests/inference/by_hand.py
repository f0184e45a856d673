"""What is asked and what comes back, made by hand."""


def body(text, **changes):
    messages = [{"role": "user", "content": text}]
    return {"model": "small", "messages": messages, "temperature": 1.0} | changes


def canned(status, body, share=1.0, **headers):
    return {"canned": [{"share": share, "status": status, "body": body, "headers": headers}]}


def error(message="no", **fields):
    return {"error": {"message": message, **fields}}
