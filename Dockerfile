FROM python:3.12-slim
ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 COMMONPLACE_DATA=/data
WORKDIR /app
COPY requirements.txt .
RUN pip install --no-cache-dir uv && uv pip install --system --no-cache --compile-bytecode -r requirements.txt
COPY . .
RUN useradd --system --home /data commonplace && install -d -o commonplace /data
USER commonplace
VOLUME /data
EXPOSE 8000
CMD ["python", "manage.py", "serve", "--host", "0.0.0.0", "--no-worker"]
